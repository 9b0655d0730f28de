//! `cinque web` and `cinque serve`: the web door on a port of this machine. Start at [`run`].

use crate::arguments::{Here, Web};
use crate::desk::Machine;
use crate::exit::{Exit, Fault, print_if_read};
use crate::start::Start;
use crate::wiring::Wiring;
use ::web::{Address, Api, Bounds, Door, MakeHub};
use host::config;
use host::state::State;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Threads that serve clients. The store and the models have their own.
const THREADS: usize = 2;
/// Open files: clients, other connections, databases, commands.
const FILES: u64 = 8192;
/// How often a free port is looked for that is free under both names of this machine.
const TRIES: usize = 20;

/// Whether the person's browser is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    Opened,
    LeftAlone,
}

pub fn run(here: Here, web: Web, browser: Browser) -> Result<Exit, Fault> {
    let here = stand_in(here, &web)?;
    let start = Start::with_flags(&here, web.layer())?;
    let web = start.config.web.clone();
    allow_many_clients();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
    let runtime = runtime.map_err(Fault::error)?;
    runtime.block_on(async {
        let wiring = Arc::new(Wiring::new(&start, start.models(), None)?);
        // Programs that wait for the port read the token then.
        let token = host::token::token(&State::of(&wiring.directory))
            .map_err(|error| Fault::error(format!("cannot keep the token in .cinque/token: {error}")))?;
        let listeners = listen(&web.host, web.port).await?;
        let address = listeners.first().map(TcpListener::local_addr).transpose().map_err(Fault::error)?;
        let port = address.map_or(web.port, |address| address.port());
        let url = format!("http://{}:{port}/?token={token}", shown(&web.host));
        // Whoever reads the address may want the server to end at once.
        let stopped = stopped()?;
        announce(&web.host, &url)?;
        if browser == Browser::Opened && web.open {
            open_browser(url);
        }
        let hub = wiring.hub.clone();
        let api = start.config.api.clone();
        let desk = Arc::new(Machine::new(start, wiring.clone()));
        let api = stateless(&api, &wiring, desk.clone());
        let door = Door::new(hub, desk, Address { host: &web.host, port, token }).answering(api);
        ::web::serve(listeners, door, stopped).await;
        wiring.tidy_up();
        Ok(Exit::Done)
    })
}

/// Requests without a conversation of their own: forgotten, unless they are to be kept.
fn stateless(config: &config::Api, wiring: &Wiring, desk: Arc<Machine>) -> Api {
    let hub: MakeHub = match config.audit {
        true => {
            let hub = wiring.hub.clone();
            Box::new(move || hub.clone())
        }
        false => Box::new(wiring.passing_hubs("api")),
    };
    Api::new(hub, desk, Bounds { time: config.timeout, concurrency: config.concurrency })
}

/// Every client is an open file, and many systems start programs with room for a thousand.
fn allow_many_clients() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(FILES, |most| most.min(FILES));
    if limit.current.is_some_and(|current| current < wanted) {
        // Where it cannot be had there is room for fewer clients.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit });
    }
}

fn stand_in(here: Here, web: &Web) -> Result<Here, Fault> {
    let Some(target) = &web.target_directory else { return Ok(here) };
    if !target.is_dir() {
        let message = format!("The specified target directory '{}' does not exist.", target.display());
        return Err(Fault::new(Exit::Usage, message));
    }
    Ok(Here { directory: Some(target.clone()), ..here })
}

/// Listens on a host. `localhost` has two addresses, and a stranger who had the other one would be sent the token.
async fn listen(host: &str, port: u16) -> Result<Vec<TcpListener>, Fault> {
    if !host.eq_ignore_ascii_case("localhost") {
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let bound = TcpListener::bind((name, port)).await;
        return Ok(vec![bound.map_err(|error| cannot_listen(host, port, &error))?]);
    }
    let mut tries = if port == 0 { TRIES } else { 1 };
    loop {
        tries -= 1;
        let refused = |error: std::io::Error| cannot_listen(host, port, &error);
        let four = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.map_err(refused)?;
        let port = four.local_addr().map_err(Fault::error)?.port();
        match TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await {
            Ok(six) => return Ok(vec![four, six]),
            Err(error) if error.kind() == ErrorKind::AddrInUse && tries > 0 => {}
            Err(error) if error.kind() == ErrorKind::AddrInUse => return Err(refused(error)),
            // A machine without that kind of address.
            Err(_) => return Ok(vec![four]),
        }
    }
}

fn cannot_listen(host: &str, port: u16, error: &std::io::Error) -> Fault {
    match error.kind() {
        ErrorKind::AddrInUse => Fault::error(format!("port {port} is taken by another program")).hint(
            "perhaps another cinque runs; choose another port with --port N, or --port 0 for any free one",
        ),
        ErrorKind::PermissionDenied => Fault::error(format!("port {port} may not be used: {error}"))
            .hint("choose a port above 1023 with --port N"),
        _ => Fault::error(format!("cannot listen on {host} port {port}: {error}"))
            .hint("--host takes a name or an address of this machine"),
    }
}

/// The address goes to stdout alone, so that programs can read it.
fn announce(host: &str, url: &str) -> Result<(), Fault> {
    if !is_loopback(host) {
        aside!(
            "warning: other machines can reach this server; whoever has the address with its token can run commands here"
        );
    }
    print_if_read(url)
}

fn is_loopback(host: &str) -> bool {
    let name = host.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The host as a browser on this machine would write it.
fn shown(host: &str) -> String {
    let name = host.trim_start_matches('[').trim_end_matches(']');
    match name.parse::<IpAddr>() {
        Ok(address) if address.is_unspecified() || address.is_loopback() => "localhost".to_owned(),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => name.to_owned(),
    }
}

/// On a thread of its own: some browsers are started by waiting for them.
fn open_browser(url: String) {
    std::thread::spawn(move || {
        if opener::open_browser(&url).is_err() {
            aside!("Failed to open URL in the default browser.");
        }
    });
}

/// Listens from now on; the future is ready when the person or the machine wants the program to end. A second wish is
/// not waited with.
fn stopped() -> Result<impl Future<Output = ()>, Fault> {
    let listen = |kind| signal(kind).map_err(Fault::error);
    let (interrupt, terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(wait(interrupt, terminate, listen(SignalKind::hangup())?))
}

async fn wait(mut interrupt: Signal, mut terminate: Signal, mut hangup: Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        std::process::exit(Exit::Interrupted as i32);
    });
}
