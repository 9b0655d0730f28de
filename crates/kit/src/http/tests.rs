//! Requests from bytes, however they are cut.

use super::*;

/// A client that sends its bytes in pieces and keeps what it is answered.
struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
    answered: Vec<u8>,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.size.min(self.bytes.len()).min(buffer.len());
        let (now, later) = self.bytes.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.bytes = later;
        Ok(count)
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.answered.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads all requests; each as method, path, body and whether it is the last, or the error.
fn read(bytes: &str, size: usize) -> Vec<Result<(String, String, String, bool), io::ErrorKind>> {
    let pieces = Pieces { bytes: bytes.as_bytes(), size, answered: Vec::new() };
    let mut reader = Reader::new(pieces);
    let mut found = Vec::new();
    loop {
        match reader.next() {
            Ok(None) => return found,
            Ok(Some(r)) => {
                let body = String::from_utf8(r.body).unwrap();
                found.push(Ok((r.method, r.path, body, r.last)));
            }
            Err(error) => {
                found.push(Err(error.kind()));
                return found;
            }
        }
    }
}

fn check(bytes: &str, expected: &[(&str, &str, &str, bool)]) {
    for size in [1, 2, 3, 7, 1 << 20] {
        let found = read(bytes, size);
        let found: Vec<_> = found
            .iter()
            .map(|request| {
                let (method, path, body, last) = request.as_ref().unwrap();
                (method.as_str(), path.as_str(), body.as_str(), *last)
            })
            .collect();
        assert_eq!(found, expected, "in pieces of {size}");
    }
}

#[test]
fn requests_are_read_one_after_the_other() {
    check("", &[]);
    check("GET /a?b=c HTTP/1.1\r\n\r\n", &[("GET", "/a?b=c", "", false)]);
    check(
        "POST /a HTTP/1.1\r\nContent-Length: 4\r\n\r\nab\r\nGET /b HTTP/1.1\r\nconnection: Close\r\n\r\n",
        &[("POST", "/a", "ab\r\n", false), ("GET", "/b", "", true)],
    );
    check(
        "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\nGET /b HTTP/1.0\r\n\r\n",
        &[("POST", "/a", "abc0123456789", false), ("GET", "/b", "", true)],
    );
}

#[test]
fn what_is_no_request_is_an_error() {
    let huge = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(HEAD_LIMIT + 1));
    let cases = [
        ("nonsense\r\n\r\n", io::ErrorKind::InvalidData),
        ("\u{16}\u{3}\u{1}", io::ErrorKind::InvalidData),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n", io::ErrorKind::InvalidData),
        ("POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n", io::ErrorKind::InvalidData),
        ("POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n", io::ErrorKind::InvalidData),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", io::ErrorKind::InvalidData),
        (huge.as_str(), io::ErrorKind::InvalidData),
        ("POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nab", io::ErrorKind::UnexpectedEof),
        ("GET / HT", io::ErrorKind::UnexpectedEof),
    ];
    for (bytes, kind) in cases {
        assert_eq!(read(bytes, 1 << 20), [Err(kind)], "{:.60}", bytes);
    }
}

#[test]
fn a_client_that_waits_for_leave_gets_it() {
    let bytes = b"POST / HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\na";
    let mut reader = Reader::new(Pieces { bytes, size: 8, answered: Vec::new() });
    assert_eq!(reader.next().unwrap().unwrap().body, b"a");
    assert_eq!(reader.stream.answered, b"HTTP/1.1 100 Continue\r\n\r\n");
}
