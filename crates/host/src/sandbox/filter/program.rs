//! Rules as a program for the kernel's packet filter machine, which is what seccomp runs. Start from [`assemble`].

use libc::sock_filter;

use super::{Act, Rule, UNKNOWN, When};

pub(super) const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
pub(super) const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
pub(super) const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
pub(super) const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
pub(super) const ANY_BIT: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
pub(super) const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Offsets into `struct seccomp_data`.
pub(super) const CALL: u32 = 0;
pub(super) const ARCHITECTURE: u32 = 4;
pub(super) const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
pub(super) const NATIVE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
pub(super) const NATIVE: u32 = 0xC000_00B7;

/// Calls of the x32 kind have other numbers for the same deeds.
pub(super) const FOREIGN: u32 = 0x4000_0000;

/// So few rules are tried one after the other.
const FEW: usize = 4;

/// The first rule that fits decides; a call that none fits is allowed.
///
/// The number of a call is searched for by halves: when a filter is put on, the kernel tries it with every number there is,
/// and afterwards with many of the calls that a command makes.
pub fn assemble(mut rules: Vec<Rule>) -> Vec<sock_filter> {
    // Rules for the same call keep their order.
    rules.sort_by_key(|rule| rule.call);
    let mut code = vec![
        op(LOAD, ARCHITECTURE),
        jump(EQUAL, NATIVE, 1, 0),
        verdict(UNKNOWN),
        op(LOAD, CALL),
        jump(AT_LEAST, FOREIGN, 0, 1),
        verdict(UNKNOWN),
    ];
    code.extend(search(&rules));
    code
}

fn search(rules: &[Rule]) -> Vec<sock_filter> {
    let middle = rules.get(rules.len() / 2).map_or(0, |rule| rule.call);
    let (below, above) = rules.split_at(rules.partition_point(|rule| rule.call < middle));
    let (Some(first), false) = (above.first(), below.is_empty() || rules.len() <= FEW) else {
        return in_turn(rules);
    };
    let low = search(below);
    // A jump has one byte for how far it goes.
    let Ok(past) = u8::try_from(low.len()) else { return in_turn(rules) };
    let mut code = vec![jump(AT_LEAST, first.call as u32, past, 0)];
    code.extend(low);
    code.extend(search(above));
    code
}

pub(super) fn in_turn(rules: &[Rule]) -> Vec<sock_filter> {
    let mut code = Vec::new();
    for rule in rules {
        let body = body(rule);
        code.push(jump(EQUAL, rule.call as u32, 0, body.len() as u8));
        code.extend(body);
    }
    code.push(verdict(Act::Allow));
    code
}

/// What follows once the call's number has matched: a verdict, or the number is loaded again for the next rule.
fn body(rule: &Rule) -> Vec<sock_filter> {
    let (hit, again) = (verdict(rule.act), op(LOAD, CALL));
    let load = |argument: u32| op(LOAD, ARGUMENTS + 8 * argument);
    match rule.when {
        When::Always => vec![hit],
        When::Any { argument, bits } => vec![load(argument), jump(ANY_BIT, bits, 0, 1), hit, again],
        When::Is { argument, mask, values } => {
            let mut code = vec![load(argument), op(AND, mask)];
            code.extend(values.iter().flat_map(|value| [jump(EQUAL, *value, 0, 1), hit]));
            code.push(again);
            code
        }
        When::Not { argument, mask, values } => none_of(load(argument), mask, values, hit, again),
        When::FirstIsAndSecondNot { first, mask, values } => {
            let second = none_of(load(1), mask, values, hit, again);
            let past = second.len() as u8 - 1;
            let mut code = vec![load(0), jump(EQUAL, first, 0, past)];
            code.extend(second);
            code
        }
    }
}

fn none_of(
    load: sock_filter,
    mask: u32,
    values: &[u32],
    hit: sock_filter,
    again: sock_filter,
) -> Vec<sock_filter> {
    let mut code = vec![load, op(AND, mask)];
    let count = values.len();
    let matches = values.iter().enumerate();
    code.extend(matches.map(|(at, value)| jump(EQUAL, *value, (count - at) as u8, 0)));
    code.extend([hit, again]);
    code
}

pub(super) fn op(code: u16, k: u32) -> sock_filter {
    sock_filter { code, jt: 0, jf: 0, k }
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

pub(super) fn verdict(act: Act) -> sock_filter {
    op(
        RETURN,
        match act {
            Act::Allow => libc::SECCOMP_RET_ALLOW,
            Act::Fail(errno) => libc::SECCOMP_RET_ERRNO | errno as u32,
            Act::Ask => libc::SECCOMP_RET_USER_NOTIF,
        },
    )
}
