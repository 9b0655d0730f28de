//! A specification survives the wire, also when it is not text, and anything else is refused.

use super::*;

fn sample() -> Spec {
    Spec {
        wall: Wall::Full,
        network: Network::Granted,
        argv: vec!["bash".into(), OsString::from_vec(vec![0xFF, b'a']), "".into()],
        environment: vec![("PATH".into(), "/bin".into()), ("EMPTY".into(), "".into())],
        directory: "/work/sub".into(),
        workspace: "/work".into(),
        home: None,
        temp: "/tmp".into(),
        writable: vec!["/data".into()],
        readable: vec![],
    }
}

#[test]
fn a_spec_comes_back_as_it_was() {
    for wall in [Wall::None, Wall::Landlock, Wall::Seatbelt, Wall::Full] {
        let spec = Spec { wall, home: Some("/home/ada".into()), ..sample() };
        assert_eq!(Spec::read(spec.to_bytes().as_slice()).unwrap(), spec);
    }
    assert_eq!(Spec::read(sample().to_bytes().as_slice()).unwrap(), sample());
}

/// What is written over the private `/tmp` is the host's, where nothing may be made.
#[test]
#[cfg(target_os = "linux")]
fn a_workspace_in_the_temporary_folder_has_another_one() {
    let cases = [
        (Wall::Full, "/tmp/w", "/data", "/tmp/own"),
        (Wall::Full, "/w", "/data", "/tmp"),
        (Wall::Full, "/tmp", "/data", "/tmp"),
        (Wall::Full, "/tmp/w", "/tmp", "/tmp"),
        (Wall::Landlock, "/tmp/w", "/data", "/tmp"),
    ];
    for (wall, workspace, granted, expected) in cases {
        let environment = vec![("TMPDIR".into(), "/tmp".into())];
        let (workspace, writable) = (workspace.into(), vec![granted.into()]);
        let spec = Spec { wall, workspace, writable, environment, temp: "/tmp".into(), ..sample() }.settled();
        assert_eq!(spec.temp, PathBuf::from(expected), "{wall:?} {granted}");
        assert_eq!(spec.environment, [("TMPDIR".into(), expected.into())]);
    }
}

#[test]
fn a_cut_or_foreign_spec_is_refused() {
    let bytes = sample().to_bytes();
    for end in 0..bytes.len() {
        assert!(Spec::read(&bytes[..end]).is_err(), "{end}");
    }
    assert!(Spec::read([0xFF; 64].as_slice()).is_err());
}

#[test]
fn a_report_comes_back_as_it_was() {
    for report in [Report::Exit(0), Report::Exit(255), Report::Failed("no".into())] {
        assert_eq!(Report::parse(&report.to_bytes()), Some(report));
    }
    assert_eq!(Report::parse(b""), None);
    assert_eq!(Report::parse(b"X\0"), None);
}
