"""How often a property of the ranker is tried; no clock, as the first example may have to import numpy."""

from __future__ import annotations

from hypothesis import settings

from tests.counts import count

proof = settings(max_examples=count(60, 1_000), deadline=None)
