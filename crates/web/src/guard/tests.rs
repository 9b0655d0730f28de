//! Who gets in, as data.

use super::*;

const TOKEN: &str = "abcdefghijklmnopqrstuvwxyz";

fn check(host: &str, request: &str) -> Result<Pass, Denial> {
    let guard = Guard::new(TOKEN.into(), host, 5000);
    let mut lines = request.lines().map(str::trim);
    let (method, uri) = lines.next().unwrap().split_once(' ').unwrap();
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(':').unwrap();
        headers.append(HeaderName::try_from(name).unwrap(), value.trim().parse().unwrap());
    }
    guard.check(&method.parse().unwrap(), &uri.parse().unwrap(), &headers)
}

fn with_token(lines: &str) -> String {
    format!("GET /api/x\n{lines}\nauthorization: Bearer {TOKEN}")
}

#[test]
fn the_name_that_was_asked_for_must_be_ours() {
    let (own, foreign, none) = (Ok(Pass::In), Err(Denial::ForeignHost), Err(Denial::NoHost));
    let cases = [
        ("host: localhost:5000", &own),
        ("host: LOCALHOST:5000", &own),
        ("host: localhost", &own),
        ("host: 127.0.0.1:5000", &own),
        ("host: [::1]:5000", &own),
        ("host: localhost:80", &foreign),
        ("host: localhost.:5000", &foreign),
        ("host: localhost.evil.example:5000", &foreign),
        ("host: evil.example:5000", &foreign),
        ("host: 192.168.1.5:5000", &foreign),
        ("host: 0.0.0.0:5000", &foreign),
        ("x: y", &none),
        ("host:", &none),
        ("host: localhost:5000\nhost: localhost:5000", &none),
        ("host: localhost:5000\nhost: evil.example", &none),
        ("host: user@localhost:5000", &none),
        ("host: localhost:5000:1", &none),
        ("host: localhost:99999", &none),
        ("host: local host", &none),
        ("host: [::1", &none),
    ];
    for (lines, expected) in cases {
        assert_eq!(&check("localhost", &with_token(lines)), expected, "{lines}");
    }
    assert_eq!(check("0.0.0.0", &with_token("host: 192.168.1.5:5000")), own);
    assert_eq!(check("0.0.0.0", &with_token("host: evil.example:5000")), foreign);
    assert_eq!(check("box.lan", &with_token("host: box.lan:5000")), own);
    let absolute = format!("GET http://evil.example/\nhost: localhost:5000\nauthorization: Bearer {TOKEN}");
    assert_eq!(check("localhost", &absolute), foreign);
}

#[test]
fn the_site_that_asks_must_be_ours() {
    let (own, foreign) = (Ok(Pass::In), Err(Denial::ForeignOrigin));
    let cases = [
        ("origin: http://localhost:5000", &own),
        ("origin: http://127.0.0.1:5000", &own),
        ("sec-fetch-site: same-origin", &own),
        ("sec-fetch-site: none", &own),
        ("sec-fetch-site: cross-site\nsec-fetch-mode: navigate", &own),
        ("origin: null", &foreign),
        ("origin:", &foreign),
        ("origin: https://localhost:5000", &foreign),
        ("origin: http://localhost", &foreign),
        ("origin: http://localhost:3000", &foreign),
        ("origin: http://evil.example", &foreign),
        ("origin: http://localhost:5000\norigin: http://evil.example", &foreign),
        ("sec-fetch-site: same-site\nsec-fetch-mode: no-cors", &foreign),
        ("sec-fetch-site: cross-site\nsec-fetch-mode: cors", &foreign),
    ];
    for (lines, expected) in cases {
        let request = with_token(&format!("host: localhost:5000\n{lines}"));
        assert_eq!(&check("localhost", &request), expected, "{lines}");
    }
}

#[test]
fn the_token_comes_in_four_ways_and_no_other() {
    let welcome = |location: &str| Ok(Pass::Welcome { location: location.into() });
    let none = || Err(Denial::NoToken);
    let cases = [
        (format!("GET /\nauthorization: Bearer {TOKEN}"), Ok(Pass::In)),
        (format!("GET /\nauthorization: bearer {TOKEN}"), Ok(Pass::In)),
        (format!("GET /\ncookie: a=b; cinque_token_5000={TOKEN}"), Ok(Pass::In)),
        (format!("GET /hubs/coding?id=1&access_token={TOKEN}"), Ok(Pass::In)),
        (format!("GET /?token={TOKEN}"), welcome("/")),
        (format!("GET /c/1?a=b&token={TOKEN}&c=d"), welcome("/c/1?a=b&c=d")),
        (format!("GET //evil.example/?token={TOKEN}"), welcome("/evil.example/")),
        ("GET /".into(), none()),
        ("GET /assets/index.js".into(), none()),
        ("GET /?token=wrong".into(), none()),
        (format!("GET /?token=wrong\ncookie: cinque_token_5000={TOKEN}"), none()),
        (format!("GET /api/x?token={TOKEN}"), none()),
        (format!("POST /?token={TOKEN}"), none()),
        (format!("GET /api/x?access_token={TOKEN}"), none()),
        (format!("GET /\ncookie: cinque_token_5001={TOKEN}"), none()),
        (format!("GET /\nauthorization: Basic {TOKEN}"), none()),
        (format!("GET /\nauthorization: Bearer {TOKEN}x"), none()),
        (format!("GET /\nauthorization: Bearer x\ncookie: cinque_token_5000={TOKEN}"), none()),
    ];
    for (request, expected) in cases {
        assert_eq!(check("localhost", &format!("{request}\nhost: localhost:5000")), expected, "{request}");
    }
}
