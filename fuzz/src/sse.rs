//! Server-sent events: however the bytes are cut, the events are the same.

use host::sse::Parser;

pub fn check(data: &[u8]) {
    let [whole, single, pieces] = super::cuttings(data).map(|pieces| events(&pieces));
    assert_eq!(single, whole, "byte by byte");
    assert_eq!(pieces, whole, "in pieces");
}

/// Name, data and id of each event, and how long the server wants a client to wait.
type Heard = (Vec<(String, String, String)>, Option<u64>);

fn events(pieces: &[&[u8]]) -> Heard {
    let mut parser = Parser::new();
    let mut events = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        while let Some(event) = parser.next(&mut rest).expect("nobody sends 16 MiB here") {
            events.push((event.name.into_owned(), event.data.into_owned(), event.id.into_owned()));
        }
        assert!(rest.is_empty(), "a piece is used up before the next one is asked for");
    }
    (events, parser.retry())
}
