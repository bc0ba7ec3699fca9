// The WebSocket to the server: messages both ways, and a new connection, after growing waits, when one is lost.

const FIRST_WAIT = 500;
const MAX_WAIT = 10_000;

/** The time in which a connection must open, in milliseconds. */
const OPEN_TIME = 8000;

export class Connection {
  /**
   * `onMessage` receives each message; `onChange` receives whether the connection is open, and if not, the seconds
   * until the next attempt.
   */
  constructor({ onMessage, onChange }) {
    Object.assign(this, { onMessage, onChange, wait: FIRST_WAIT, socket: null, isOpen: false });
    const address = new URL("ws", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    this.address = address.href;
    this.connect();
    window.addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = null;
    this.onChange(false, 0);
    const socket = new WebSocket(this.address);
    this.socket = socket;
    const patience = setTimeout(() => socket.close(), OPEN_TIME);
    socket.addEventListener("open", () => {
      clearTimeout(patience);
      this.isOpen = true;
      this.onChange(true, 0);
    });
    socket.addEventListener("message", ({ data }) => {
      // only a server that speaks counts as one that is there again
      this.wait = FIRST_WAIT;
      this.onMessage(JSON.parse(data));
    });
    socket.addEventListener("close", () => {
      clearTimeout(patience);
      if (this.socket === socket) this.lost();
    });
  }

  lost() {
    this.isOpen = false;
    this.socket = null;
    this.next = Date.now() + this.wait;
    this.wait = Math.min(MAX_WAIT, this.wait * 2);
    this.countDown();
  }

  countDown() {
    const left = this.next - Date.now();
    if (left <= 0) {
      this.connect();
      return;
    }
    this.onChange(false, Math.ceil(left / 1000));
    this.timer = setTimeout(() => this.countDown(), Math.min(left, 1000));
  }

  retryNow() {
    if (this.timer) this.connect();
  }

  /** Sends an action; false if there is no connection. */
  send(action) {
    if (!this.isOpen) return false;
    this.socket.send(JSON.stringify(action));
    return true;
  }
}
