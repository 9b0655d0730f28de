//! What the agent tells a confiner, and what it hears back, as bytes on the confiner's standard input.
//! Start from [`Spec`], [`Order`] and [`Report`]. Paths and arguments are bytes, not text: a file name need not be UTF-8, which is
//! why this is not JSON.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::{Network, Wall};

/// Everything a confiner needs to know to build the wall. It comes first, so that a wall can be built before there is a
/// command to go behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub wall: Wall,
    pub network: Network,
    pub workspace: PathBuf,
    /// Device and number of the workspace's folder: another folder of the same name needs another wall.
    pub identity: (u64, u64),
    pub home: Option<PathBuf>,
    /// A directory for this call alone; the full wall replaces it with a private one of its own.
    pub temp: PathBuf,
    pub writable: Vec<PathBuf>,
    pub readable: Vec<PathBuf>,
}

/// What runs behind the wall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// The program and its arguments; the program is a path or a name to look for in the command's own `PATH`.
    pub argv: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    pub directory: PathBuf,
}

/// What a confiner says before it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The command ended, and nothing of it is left: the wall is as good as new, and hears another order.
    Exit(i32),
    /// The command ended and nobody of it is left, but the wall ends too.
    Spent(i32),
    /// The command ended and left processes behind, which end with the wall.
    Left(i32),
    /// Something that the wall must hold appeared since it was built. Nothing was run.
    Stale,
    Failed(String),
}

/// The byte by which the agent asks for a polite end; closing the connection ends everything at once.
pub(crate) const TERMINATE: u8 = b't';

/// A spec larger than this is a mistake: the kernel refuses arguments and environments far below it.
const LARGEST: usize = 16 << 20;

impl Spec {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = vec![self.wall as u8, self.network as u8];
        body.extend(self.identity.0.to_le_bytes());
        body.extend(self.identity.1.to_le_bytes());
        put_list(&mut body, [self.workspace.as_os_str(), self.temp.as_os_str()].into_iter());
        put_list(&mut body, self.home.iter().map(|home| home.as_os_str()));
        put_list(&mut body, self.writable.iter().map(|path| path.as_os_str()));
        put_list(&mut body, self.readable.iter().map(|path| path.as_os_str()));
        framed(body)
    }

    /// With the temporary folder that the full wall has for this workspace. One beneath `/tmp` closes that, since rights
    /// to a folder are rights to all in it; then the command gets a folder of its own in there, which is open.
    pub fn settled(mut self) -> Self {
        let covered =
            [&self.workspace].into_iter().chain(&self.writable).any(|path| self.temp.starts_with(path));
        if self.wall == Wall::Full && self.workspace.starts_with(&self.temp) && !covered {
            self.temp = self.temp.join("own");
        }
        self
    }

    pub fn read(from: impl Read) -> io::Result<Self> {
        parse(&mut unframed(from)?.as_slice()).ok_or_else(malformed)
    }
}

impl Order {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        put_list(&mut body, self.argv.iter().map(OsString::as_os_str));
        put_list(&mut body, self.environment.iter().map(|(name, _)| name.as_os_str()));
        put_list(&mut body, self.environment.iter().map(|(_, value)| value.as_os_str()));
        put_list(&mut body, std::iter::once(self.directory.as_os_str()));
        framed(body)
    }

    pub fn read(from: impl Read) -> io::Result<Self> {
        parse_order(&mut unframed(from)?.as_slice()).ok_or_else(malformed)
    }
}

impl Report {
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Report::Exit(code) => [b"X".as_slice(), &code.to_le_bytes()].concat(),
            Report::Spent(code) => [b"U".as_slice(), &code.to_le_bytes()].concat(),
            Report::Left(code) => [b"L".as_slice(), &code.to_le_bytes()].concat(),
            Report::Stale => b"S".to_vec(),
            Report::Failed(why) => [b"F", why.as_bytes()].concat(),
        }
    }

    /// `None` when the confiner was killed before it could say anything.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let number = |code: &[u8]| Some(i32::from_le_bytes(code.get(..4)?.try_into().ok()?));
        match bytes.split_first()? {
            (b'X', code) => number(code).map(Report::Exit),
            (b'U', code) => number(code).map(Report::Spent),
            (b'L', code) => number(code).map(Report::Left),
            (b'S', _) => Some(Report::Stale),
            (b'F', why) => Some(Report::Failed(String::from_utf8_lossy(why).into_owned())),
            _ => None,
        }
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the confiner was given something that is not a specification")
}

fn framed(mut body: Vec<u8>) -> Vec<u8> {
    let mut bytes = (body.len() as u32).to_le_bytes().to_vec();
    bytes.append(&mut body);
    bytes
}

fn unframed(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LARGEST {
        return Err(malformed());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(body)
}

fn parse_order(body: &mut &[u8]) -> Option<Order> {
    let argv = take_list(body)?;
    let (names, values) = (take_list(body)?, take_list(body)?);
    let [directory] = <[OsString; 1]>::try_from(take_list(body)?).ok()?.map(PathBuf::from);
    Some(Order { argv, environment: names.into_iter().zip(values).collect(), directory })
}

fn parse(body: &mut &[u8]) -> Option<Spec> {
    let wall = match take(body, 1)?.first()? {
        byte if *byte == Wall::None as u8 => Wall::None,
        byte if *byte == Wall::Landlock as u8 => Wall::Landlock,
        byte if *byte == Wall::Seatbelt as u8 => Wall::Seatbelt,
        byte if *byte == Wall::Full as u8 => Wall::Full,
        _ => return None,
    };
    let network = match take(body, 1)?.first()? {
        byte if *byte == Network::Denied as u8 => Network::Denied,
        byte if *byte == Network::Granted as u8 => Network::Granted,
        _ => return None,
    };
    let mut identity = || Some(u64::from_le_bytes(take(body, 8)?.try_into().ok()?));
    let identity = (identity()?, identity()?);
    let [workspace, temp] = <[OsString; 2]>::try_from(take_list(body)?).ok()?.map(PathBuf::from);
    let home = take_list(body)?.into_iter().next().map(PathBuf::from);
    let writable = take_list(body)?.into_iter().map(PathBuf::from).collect();
    let readable = take_list(body)?.into_iter().map(PathBuf::from).collect();
    Some(Spec { wall, network, workspace, identity, home, temp, writable, readable })
}

fn put_list<'a>(to: &mut Vec<u8>, items: impl ExactSizeIterator<Item = &'a OsStr>) {
    to.extend((items.len() as u32).to_le_bytes());
    for item in items {
        to.extend((item.len() as u32).to_le_bytes());
        to.extend(item.as_bytes());
    }
}

fn take<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

fn take_number(from: &mut &[u8]) -> Option<usize> {
    Some(u32::from_le_bytes(take(from, 4)?.try_into().ok()?) as usize)
}

fn take_list(from: &mut &[u8]) -> Option<Vec<OsString>> {
    let count = take_number(from)?;
    let mut items = Vec::new();
    for _ in 0..count {
        let length = take_number(from)?;
        items.push(OsString::from_vec(take(from, length)?.to_vec()));
    }
    Some(items)
}

#[cfg(test)]
mod tests;
