// What the page adds to textual-serve's terminal: its own address as the socket's, the reason of an ending,
// the focus, and no way out of the page but a download. Runs before the terminal does, which waits for `load`.
"use strict";

(() => {
  const here = new URL(".", window.location.href);
  const socket = new URL("ws", here);
  socket.protocol = here.protocol === "https:" ? "wss:" : "ws:";
  socket.search = "";
  document.querySelector("#terminal").dataset.sessionWebsocketUrl = socket.href;

  const reasons = {
    1006: "The connection was lost, or the server has ended.",
    1009: "More was sent at once than the server takes.",
  };

  const takeFocus = () => document.querySelector(".xterm-helper-textarea")?.focus();

  // The terminal makes its socket itself and drops the reason of a close. It also sends keys only once it
  // was clicked, so it gets the focus with the first frame; before that, the app would take itself for blurred.
  window.WebSocket = class extends window.WebSocket {
    constructor(...args) {
      super(...args);
      const firstFrame = (event) => {
        if (!(event.data.byteLength > 100)) return;
        this.removeEventListener("message", firstFrame);
        takeFocus();
      };
      this.addEventListener("message", firstFrame);
      this.addEventListener("close", (event) => {
        const said = event.reason || reasons[event.code];
        if (said) document.querySelector("#reason").textContent = said;
        document.querySelector("#again").focus();
      });
    }
  };

  // A link in a memory leads anywhere. The one thing that may be opened is a file that the app hands over.
  window.open = (target) => {
    const offered = /\/download\/([\w-]+)$/.exec(new URL(target ?? "", here).pathname);
    if (offered) {
      const link = document.createElement("a");
      link.href = new URL(`download/${offered[1]}`, here).href;
      link.download = "";
      link.click();
    }
    return null;
  };

  document.querySelector("#again").addEventListener("click", () => window.location.reload());
  window.addEventListener("focus", takeFocus);
})();
