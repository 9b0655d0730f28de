//! What the judge's word comes to behind each wall.

use super::*;
use crate::judge::{Judge, Rule, Rules};

#[test]
fn without_a_wall_only_what_reads_by_itself_runs_unasked() {
    let rule = Rule { prefix: vec!["cargo".into(), "test".into()], ..Rule::default() };
    let reading = Rule { prefix: vec!["ls".into()], ..Rule::default() };
    let judge = Judge::new(Rules { allow: vec![rule, reading], ..Rules::default() }).expect("rules");
    for (source, behind_wall, without) in [
        ("ls -la", "allow", "allow"),
        ("cat a | wc -l", "allow", "allow"),
        ("cargo test", "allow", "ask"),
        ("ls; cargo test --all", "allow", "ask"),
        ("touch x", "ask", "ask"),
        ("rm -rf /", "forbid", "forbid"),
    ] {
        for (wall, expected) in
            [(Wall::Full, behind_wall), (Wall::Landlock, behind_wall), (Wall::None, without)]
        {
            let found = match ruling(&judge.judge(source), wall) {
                Ruling::Allow => "allow",
                Ruling::Ask(_) => "ask",
                Ruling::Forbid(_) => "forbid",
            };
            assert_eq!(found, expected, "{source} with {wall:?}");
        }
    }
}
