//! Chromium without a window, where it is installed; else the tests that need it print SKIPPED and pass.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{is_installed, skipped};

/// Time limit for the browser.
const PATIENCE: Duration = Duration::from_secs(60);

pub const IN_TIME: &str = "the browser should end within a minute";

/// The command of a Chromium that can open files of the temporary folder; snap packages cannot.
pub fn browser() -> Option<&'static str> {
    static BROWSER: LazyLock<Result<&str, &str>> = LazyLock::new(|| {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let name = names.into_iter().find(|name| is_installed(name));
        let name = name.ok_or("no Chromium")?;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        std::fs::write(&file, "<p>readable</p>").unwrap();
        let dom = dump(name, folder.path(), &format!("file://{}", file.display()), &[]);
        let is_readable = dom.is_some_and(|dom| dom.contains("<p>readable</p>"));
        is_readable.then_some(name).ok_or("Chromium cannot open files of the temporary folder")
    });
    BROWSER.inspect_err(|reason| skipped(&format!("{reason}, so no page was opened in a browser"))).ok()
}

/// Opens the page with a script of the test at its end; returns the script's value.
pub fn evaluate(browser: &str, page: &str, script: &str, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let page = page.replace(
        "</body>",
        &format!("<script>document.body.textContent = JSON.stringify((() => {{ {script} }})());</script></body>"),
    );
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    let dom = dump(browser, folder.path(), &format!("file://{}", file.display()), options).expect(IN_TIME);
    let text = dom.split_once("<body").unwrap().1.split_once('>').unwrap().1.split_once("</body>").unwrap().0;
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The DOM of a page after its scripts have run; `None` if the browser exceeds the time limit, and is killed.
pub fn dump(browser: &str, profile: &Path, address: &str, options: &[&str]) -> Option<String> {
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTBROWSER", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.join("profile").display()))
        .args(options)
        .arg(address)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (sender, dumped) = channel();
    thread::spawn(move || {
        let mut dom = String::new();
        stdout.read_to_string(&mut dom).map(|_| sender.send(dom))
    });
    let dom = dumped.recv_timeout(PATIENCE).ok();
    // after the dump there is nothing left to do
    let _ = child.kill();
    child.wait().unwrap();
    dom
}
