//! `web`: a page in the browser to play, analyse and study games.
//!
//! `server` and `socket` run on one thread and pass actions of pages to the thread of the engine, `session`, by
//! `inbox`; it answers by `hub`, which keeps what a new page needs. `game` is the tree with the current node, which
//! `new_game` begins, `results` its ends, `driver` the engine as GTP commands drive it, `counting` the score, `clock`
//! the time, `store` the state folder; `view` makes events of positions and searches, `action` and `event` are the
//! messages; `pages` has the files of the page.

mod action;
mod clock;
mod counting;
mod driver;
mod event;
mod game;
mod hub;
mod inbox;
mod marks;
mod new_game;
mod pages;
mod results;
mod server;
mod session;
mod socket;
mod store;
mod view;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::thread;

use anyhow::Context;
use tokio::sync::oneshot;

use crate::gtp::Engine;
use crate::io::files::state_folder;
use crate::web::action::{HumanSides, NewGame};
use crate::web::driver::Driver;
use crate::web::hub::Hub;
use crate::web::inbox::Inbox;
use crate::web::server::Site;
use crate::web::session::Session;
use crate::web::store::Store;

/// Options of `web`.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub(crate) struct WebArgs {
    /// The port to listen on [default: a free one]
    #[arg(long, value_name = "N", value_parser = port)]
    pub(crate) port: Option<u16>,

    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,

    /// The address to listen on; if others than this machine can reach it, the page's address has a secret part
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_parser = ip_address)]
    pub(crate) host: IpAddr,
}

fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| format!("expected 0 to {}", u16::MAX))
}

fn ip_address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| "expected an IP address".to_owned())
}

/// Listens on the address of the page.
///
/// # Errors
/// If the address cannot be listened on.
pub(crate) fn listen(args: &WebArgs) -> anyhow::Result<TcpListener> {
    let wanted = SocketAddr::new(args.host, args.port.unwrap_or(0));
    let listener = TcpListener::bind(wanted).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    listener.with_context(|| format!("web: {wanted}"))
}

/// Serves the page until the process ends. `on_start` gets its address.
///
/// # Errors
/// If the system refuses a thread.
pub(crate) fn run(
    args: &WebArgs,
    listener: TcpListener,
    engine: Engine,
    on_start: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        let token = if args.host.is_loopback() { None } else { Some(token()?) };
        let (hub, inbox) = (Hub::default(), Inbox::default());
        let site = Site { hub: hub.clone(), inbox: inbox.clone(), token, address };
        let page = format!("http://{}{}", reachable(address), site.base());

        let store = Store::open(state_folder().map(|folder| folder.join("games")));
        let first = first_game(&engine);
        let session = Session::new(hub, inbox, store, Driver::new(engine), &first);
        let session = session.map_err(|refusal| anyhow::anyhow!("web: {}", refusal.text))?;
        // dropped when the engine's thread ends, which happens only after a panic
        let (running, ended) = oneshot::channel::<()>();
        thread::Builder::new().name("engine".to_owned()).spawn(move || {
            let _running = running;
            session.run();
        })?;

        on_start(&page)?;
        // the error's text has no reason that helps a person: a launcher's exit status as Rust writes it
        if args.open && open::that_detached(&page).is_err() {
            tracing::warn!("no browser could be opened, open {page} in one yourself");
        }
        tokio::select! {
            () = server::serve(listener, site) => Ok(()),
            _ = ended => anyhow::bail!("web: the thread of the engine has ended"),
        }
    })
}

/// The address under which others find a server that listens on all interfaces: that of this machine in its network. It
/// is the local address of a socket for a documentation address (RFC 5737, RFC 3849), to which nothing is sent.
fn reachable(address: SocketAddr) -> SocketAddr {
    let documentation = match address.ip() {
        ip if !ip.is_unspecified() => return address,
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
    };
    let own = || -> std::io::Result<IpAddr> {
        let socket = UdpSocket::bind((address.ip(), 0))?;
        socket.connect((documentation, 9))?;
        Ok(socket.local_addr()?.ip())
    };
    SocketAddr::new(own().unwrap_or(address.ip()), address.port())
}

/// The game before a person begins one: the configured board and rules, both colours played by clicks.
fn first_game(engine: &Engine) -> NewGame {
    let (coordinate, rule) = (engine.position.board().coordinate(), engine.position.rule());
    NewGame {
        width: coordinate.width(),
        height: coordinate.height(),
        komi: rule.komi,
        rules: rule.name().unwrap_or("chinese").to_owned(),
        handicap: 0,
        human_sides: HumanSides::Both,
        level: engine.player.options.level,
        time: None,
    }
}

/// A secret of 128 bits in hexadecimal digits.
fn token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
