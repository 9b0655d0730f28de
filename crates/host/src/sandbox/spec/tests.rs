//! A specification survives the wire, also when it is not text, and anything else is refused.

use super::*;

fn sample() -> Spec {
    Spec {
        wall: Wall::Full,
        network: Network::Granted,
        workspace: OsString::from_vec(vec![b'/', 0xFF]).into(),
        identity: (1, u64::MAX),
        home: None,
        temp: "/tmp".into(),
        writable: vec!["/data".into()],
        readable: vec![],
    }
}

fn order() -> Order {
    Order {
        argv: vec!["bash".into(), OsString::from_vec(vec![0xFF, b'a']), "".into()],
        environment: vec![("PATH".into(), "/bin".into()), ("EMPTY".into(), "".into())],
        directory: "/work/sub".into(),
    }
}

#[test]
fn a_spec_and_an_order_come_back_as_they_were() {
    assert_eq!(Order::read(order().to_bytes().as_slice()).unwrap(), order());
    for wall in [Wall::None, Wall::Landlock, Wall::Seatbelt, Wall::Full] {
        let spec = Spec { wall, home: Some("/home/ada".into()), ..sample() };
        assert_eq!(Spec::read(spec.to_bytes().as_slice()).unwrap(), spec);
    }
    assert_eq!(Spec::read(sample().to_bytes().as_slice()).unwrap(), sample());
}

/// What is written over the private `/tmp` is the host's, where nothing may be made.
#[test]
fn a_workspace_in_the_temporary_folder_has_another_one() {
    let cases = [
        (Wall::Full, "/tmp/w", "/data", "/tmp/own"),
        (Wall::Full, "/w", "/data", "/tmp"),
        (Wall::Full, "/tmp", "/data", "/tmp"),
        (Wall::Full, "/tmp/w", "/tmp", "/tmp"),
        (Wall::Landlock, "/tmp/w", "/data", "/tmp"),
    ];
    for (wall, workspace, granted, expected) in cases {
        let (workspace, writable) = (workspace.into(), vec![granted.into()]);
        let spec = Spec { wall, workspace, writable, temp: "/tmp".into(), ..sample() }.settled();
        assert_eq!(spec.temp, PathBuf::from(expected), "{wall:?} {granted}");
    }
}

#[test]
fn a_cut_or_foreign_spec_is_refused() {
    let bytes = sample().to_bytes();
    for end in 0..bytes.len() {
        assert!(Spec::read(&bytes[..end]).is_err(), "{end}");
    }
    assert!(Spec::read([0xFF; 64].as_slice()).is_err());
    let bytes = order().to_bytes();
    for end in 0..bytes.len() {
        assert!(Order::read(&bytes[..end]).is_err(), "{end}");
    }
}

#[test]
fn a_report_comes_back_as_it_was() {
    for report in [Report::Exit(0), Report::Left(255), Report::Stale, Report::Failed("no".into())] {
        assert_eq!(Report::parse(&report.to_bytes()), Some(report));
    }
    assert_eq!(Report::parse(b""), None);
    assert_eq!(Report::parse(b"X\0"), None);
}
