//! A running server, and pages that are connected to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::engine::{Folder, MAX_WAIT};

/// A server that is killed when the test ends.
pub struct Server {
    pub child: Child,
    /// `http://127.0.0.1:PORT/`, with the secret part if there is one.
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // it may have ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts a server that keeps its games in the folder.
    pub fn start(folder: &Folder, arguments: &[&str]) -> Server {
        let mut command = folder.command(&["web", "--set", "Search.Threads=1", "--set", "Search.Seed=1"]);
        command.args(arguments).env("XDG_STATE_HOME", folder.path().join("state"));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
        Server { child, address: address.trim().to_owned() }
    }

    /// `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        self.address.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
        stream
    }

    /// The answer to a request: the status line, the headers and the body.
    pub fn request(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // a refused request may end in a reset
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The record of the current game, with the headers of the answer.
    pub fn record(&self) -> String {
        self.request(&format!("GET /game.sgf HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host()))
    }

    /// The status of a path below the address, with these further headers.
    pub fn status(&self, path: &str, headers: &str) -> String {
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.host()) };
        let answer = self.request(&format!("GET {path} HTTP/1.1\r\n{host}{headers}\r\n"));
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// A page, with the state that the server sent it at once.
    pub fn page(&self) -> Page {
        let request = format!("{}ws", self.address.replace("http://", "ws://")).into_client_request().unwrap();
        let (socket, _) = tungstenite::connect(request).unwrap();
        let MaybeTlsStream::Plain(stream) = socket.get_ref() else { panic!("no plain stream") };
        stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
        let mut page = Page { socket, latest: json!({}) };
        page.until(|page| page.latest["state"].is_object());
        page
    }
}

/// A page without a browser.
pub struct Page {
    pub socket: WebSocket<MaybeTlsStream<TcpStream>>,
    /// The latest message of each kind.
    pub latest: Value,
}

impl Page {
    pub fn send(&mut self, action: Value) {
        self.socket.send(Message::text(action.to_string())).unwrap();
    }

    /// Reads the next message; gives its kind.
    pub fn read(&mut self) -> String {
        loop {
            match self.socket.read().unwrap() {
                Message::Text(text) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    let kind = message["type"].as_str().unwrap().to_owned();
                    self.latest[kind.as_str()] = message;
                    return kind;
                }
                Message::Close(_) => panic!("the server has closed the page"),
                _ => {}
            }
        }
    }

    /// Reads messages until this holds.
    pub fn until(&mut self, is_so: impl Fn(&Page) -> bool) {
        let begin = Instant::now();
        while !is_so(self) {
            assert!(begin.elapsed() < MAX_WAIT, "{:#}", self.latest);
            self.read();
        }
    }

    /// Sends an action and reads until this holds.
    pub fn act(&mut self, action: Value, is_so: impl Fn(&Page) -> bool) {
        self.send(action);
        self.until(is_so);
    }

    /// Sends an action that is refused; gives the code and the point.
    pub fn refused(&mut self, action: Value) -> (String, Value) {
        self.latest["error"] = Value::Null;
        self.act(action, |page| page.latest["error"].is_object());
        let error = &self.latest["error"];
        assert!(error["text"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        (error["code"].as_str().unwrap().to_owned(), error["point"].clone())
    }

    /// Sends an action that is carried out with a remark; gives its code.
    pub fn noticed(&mut self, action: Value) -> String {
        (self.latest["error"], self.latest["notice"]) = (Value::Null, Value::Null);
        self.act(action, |page| page.latest["notice"].is_object());
        let notice = &self.latest["notice"];
        assert!(notice["text"].as_str().is_some_and(|text| !text.is_empty()), "{notice}");
        assert!(self.latest["error"].is_null(), "{}", self.latest["error"]);
        notice["code"].as_str().unwrap().to_owned()
    }

    pub fn state(&self) -> &Value {
        &self.latest["state"]
    }

    pub fn board(&self) -> &str {
        self.state()["board"].as_str().unwrap()
    }

    /// The number of moves before the current position.
    pub fn number(&self) -> u64 {
        self.state()["number"].as_u64().unwrap()
    }

    /// Waits until so many moves are played and nothing is searched.
    pub fn at(&mut self, number: u64) {
        self.until(|page| page.number() == number && page.state()["thinking"].is_null());
    }

    /// Begins a game on a square board by Japanese rules with komi 6.5.
    pub fn begin(&mut self, side: u8, person: &str, level: u64) {
        let before = self.latest["game"]["id"].clone();
        let new = json!({"type": "new", "width": side, "height": side, "komi": 6.5, "rules": "japanese", "handicap": 0,
            "person": person, "level": level, "time": null});
        self.act(new, |page| page.latest["game"]["id"] != before);
        let area = usize::from(side) * usize::from(side);
        self.until(|page| page.board().len() == area);
    }

    /// Plays points in turn, each after the one before has arrived.
    pub fn play(&mut self, points: &[i64]) {
        for &point in points {
            let number = self.number() + 1;
            self.act(json!({"type": "play", "point": point}), |page| page.number() == number);
        }
    }
}
