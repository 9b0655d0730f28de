//! Connections, from accepting them to a clean end. Start at [`serve`].

use crate::router::router;
use crate::{CLIENTS, Door};
use axum::Router;
use futures::future::select_all;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// Connections at one time that are not clients of the hub; others wait to be accepted.
const CONNECTIONS: usize = 1024;
/// How long a client may take for the head of a request.
const HEAD: Duration = Duration::from_secs(15);
/// How large that head may be, and how many headers it may have.
const HEAD_BYTES: usize = 32 << 10;
const HEADERS: usize = 100;
/// How long requests under way may take when the server stops.
const FINISHING: Duration = Duration::from_secs(2);
/// After a connection could not be accepted, mostly because there are no more descriptors.
const RECOVERY: Duration = Duration::from_millis(50);

type Service = TowerToHyperService<Router>;

/// Serves the door on at least one listener until `stop` is done; then clients are told and what runs is stopped.
pub async fn serve(listeners: Vec<TcpListener>, door: Door, stop: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let (bell, stopping) = watch::channel(false);
    let service = TowerToHyperService::new(router(door.clone()));
    let lobby = door.lobby.clone();
    let watching = tokio::spawn(async move { lobby.watch_others().await });
    let mut stop = pin!(stop);
    loop {
        let accept = async {
            let place = places.clone().acquire_owned().await;
            (accept_any(&listeners).await, place)
        };
        let (stream, place) = tokio::select! {
            accepted = accept => accepted,
            () = &mut stop => break,
        };
        let (service, stopping) = (service.clone(), stopping.clone());
        tokio::spawn(async move {
            talk(stream, service, stopping).await;
            drop(place);
        });
    }
    drop(listeners);
    watching.abort();
    door.lobby.close().await;
    bell.send_replace(true);
    let all = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let ended =
        async { tokio::join!(places.acquire_many(all(CONNECTIONS)), door.places.acquire_many(all(CLIENTS))) };
    // Whoever has not let go by now is cut off by the end of the process.
    let _ = tokio::time::timeout(FINISHING, ended).await;
}

/// Answers the requests of one connection. What goes wrong on it is its client's affair.
async fn talk(stream: TcpStream, service: Service, mut stopping: watch::Receiver<bool>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES).max_headers(HEADERS);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    tokio::select! {
        _ = &mut connection => return,
        _ = stopping.wait_for(|stopping| *stopping) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

async fn accept_any(listeners: &[TcpListener]) -> TcpStream {
    let (stream, ..) = select_all(listeners.iter().map(|listener| Box::pin(accept(listener)))).await;
    stream
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            // Small texts go out at once; a stream of tokens is nothing else.
            let _ = stream.set_nodelay(true);
            return stream;
        }
        tokio::time::sleep(RECOVERY).await;
    }
}
