"""The configuration file: every key is checked, and flags and environment come before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memhtml_core.errors import UsageError
from memhtml_tui.cli import main, parse
from memhtml_tui.commands import flags
from memhtml_tui.commands.app import options_of
from memhtml_tui.config import Config, config_path, read_config
from memhtml_tui.keymap import checked, remapped, together
from memhtml_tui.keys import ACTS, key_text

FULL = """
theme = "memhtml-light"
glyphs = "ascii"
embed_deadline = 2.5
follow = false
[store]
index = "tree"
embedder = "off"
state = "none"
read_only = true
embed = false
[defaults]
limit = 25
memories_budget = 4000
mmr_lambda = 0.7
pack_order = "diversified"
[weights]
fts = 0.5
[keys]
"memory.peek" = "space, P"
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(FULL)
    for name in ("THEME", "GLYPHS", "EMBEDDER", "STATE", "EMBED_DEADLINE", "CACHE"):
        monkeypatch.delenv(f"MEMHTML_TUI_{name}", raising=False)
    monkeypatch.setenv("MEMHTML_TUI_CONFIG", str(path))
    return path


def test_every_setting_of_the_file_reaches_the_app(written: Path) -> None:
    config = read_config({"MEMHTML_TUI_CONFIG": str(written)})
    options = options_of(parse([], config))
    assert (options.theme, options.glyphs, options.embed_deadline) == ("memhtml-light", "ascii", 2.5)
    assert (options.source, options.embedder, options.state) == ("tree", "off", "none")
    assert (options.read_only, options.embed, options.follow) == (True, False, False)
    assert options.limit == 25
    assert options.ranking == {
        "memories_budget": 4000,
        "mmr_lambda": 0.7,
        "pack_order": "diversified",
        "weights": {"fts": 0.5},
    }
    assert options.keymap == {"memory.peek": "space, P"}


def test_flag_before_environment_before_file(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_config({"MEMHTML_TUI_CONFIG": str(written)})
    monkeypatch.setenv("MEMHTML_TUI_EMBEDDER", "static")
    monkeypatch.setenv("MEMHTML_TUI_STATE", "auto")
    monkeypatch.setenv("MEMHTML_TUI_GLYPHS", "unicode")
    monkeypatch.setenv("MEMHTML_VECTOR_COVERAGE_FLOOR", "0.5")
    args = parse(["--index", "peer", "--embedder", "http"], config)
    options = options_of(args)
    assert (options.source, options.embedder, options.state) == ("peer", "http", "auto")
    assert (options.glyphs, options.theme) == ("unicode", "memhtml-light")
    assert options.ranking["coverage_floor"] == 0.5
    assert flags.embedder_of(parse([], config)) == "static"


def test_a_printed_request_means_the_same_whatever_the_file_says(written: Path) -> None:
    config = read_config({"MEMHTML_TUI_CONFIG": str(written)})
    with_file = flags.request_of(parse(["search", "--now", "1", "word"], config), "search")
    assert with_file == flags.request_of(parse(["search", "--now", "1", "word"]), "search")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('them = "x"', "unknown key them: PATH. The nearest one is theme"),
        ("[default]\nlimit = 1", "unknown key default: PATH. The nearest one is defaults"),
        ("[defaults]\nlimits = 1", "The nearest one is defaults.limit"),
        ("[store]\nembeder = 'off'", "The nearest one is store.embedder"),
        ("[defaults]\nlimit = true", "defaults.limit cannot be True: PATH. It is a whole number"),
        ("[defaults]\nmmr_lambda = 2", "It is a number from 0 to 1"),
        ("glyphs = 'emoji'", "It is unicode or ascii"),
        ("store = 3", "store cannot be 3: PATH. It is a table"),
        ("[weights]\nfts = 'much'", "weights.fts cannot be 'much'"),
        ("[keys]\n'memory.peek' = 3", "keys.memory.peek cannot be 3"),
        ("theme", "not TOML: PATH"),
    ],
)
def test_what_cannot_be_meant_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_config({"MEMHTML_TUI_CONFIG": str(path)})
    assert said.replace("PATH", str(path)) in str(caught.value)


def test_a_file_that_is_named_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = {"MEMHTML_TUI_CONFIG": str(tmp_path / "none.toml")}
    with pytest.raises(UsageError, match="no such file"):
        read_config(missing)
    (tmp_path / "latin.toml").write_bytes(b"theme = '\xff'")
    with pytest.raises(UsageError, match="cannot be read"):
        read_config({"MEMHTML_TUI_CONFIG": str(tmp_path / "latin.toml")})


def test_no_file_is_no_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    found = config_path({})
    assert found is not None
    assert found.is_relative_to(tmp_path)
    assert read_config({}) == Config()


def test_a_broken_file_ends_a_command_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.toml").write_text("colour = 1")
    monkeypatch.setenv("MEMHTML_TUI_CONFIG", str(tmp_path / "c.toml"))
    assert main(["list"]) == 2
    assert "unknown key colour" in capsys.readouterr().err


def test_keys_are_those_of_actions_and_never_two_things_in_one_place(tmp_path: Path) -> None:
    assert checked({"memory.peek": "space, P"}, tmp_path) == {"memory.peek": "space,P"}
    with pytest.raises(UsageError, match=r"The nearest one is keys\.memory\.peek"):
        checked({"memory.peak": "space"}, tmp_path)
    with pytest.raises(UsageError, match="would mean both"):
        checked({"memory.peek": "o"}, tmp_path)
    with pytest.raises(UsageError, match="would mean both"):
        checked({"memory.peek": "f1"}, tmp_path)
    by_id = {act.id: act for act in ACTS}
    assert together(by_id["list.down"], by_id["help"])
    assert not together(by_id["list.down"], by_id["text.down"])


def test_help_and_palette_show_a_persons_own_keys() -> None:
    own = {act.id: act for act in remapped(ACTS, {"memory.open": "f5"})}
    assert key_text(own["memory.open"]) == "f5"
    assert own["memory.peek"] in ACTS
