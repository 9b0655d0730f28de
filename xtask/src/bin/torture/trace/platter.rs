//! What a disk has for certain, and what it may have, when the power goes. Start from [`Platter`].
//!
//! A deed is a change of a file's bytes or of a folder's names. A sync makes the deeds before it certain: that of a file
//! its bytes, that of a folder its names, and neither the other. All other deeds may have reached the disk or not, in any
//! order, and the bytes of a write in part. Nothing here touches a disk.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kit::Random;

/// What disks write at once: a sector, or a page of the system's memory.
const PIECES: [usize; 2] = [512, 4096];

/// A file, whatever it is called.
pub(super) type File = usize;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    File(File),
    Folder,
    /// A symbolic link to there.
    Link(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    Write { file: File, at: usize, bytes: Vec<u8> },
    Resize { file: File, length: usize },
    Name { path: PathBuf, node: Node },
    Unname { path: PathBuf },
    Move { from: PathBuf, to: PathBuf, node: Node },
}

/// All that is known of a disk from the first look at it on.
#[derive(Debug, Default)]
pub(super) struct Platter {
    /// The folders that were there before anything else.
    roots: Vec<PathBuf>,
    /// As it was found; all of that is certain. A file that was made later began empty.
    files: Vec<Vec<u8>>,
    names: BTreeMap<PathBuf, Node>,
    /// The names as programs see them.
    seen: BTreeMap<PathBuf, Node>,
    deeds: Vec<(Deed, Certainty)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    Certain,
    Possible,
}

/// A disk as it may be found after the cut.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) names: BTreeMap<PathBuf, Node>,
    pub(super) files: Vec<Vec<u8>>,
}

/// What becomes of the deeds that are only possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Luck {
    /// None of them is there.
    None,
    All,
    /// Those before this one are there, and half of it.
    Until(usize),
    /// A coin for each name, and for each piece of so many bytes.
    Coins(usize),
}

impl Luck {
    pub(super) fn draw(random: &mut Random, deeds: usize) -> Self {
        match random.within(0..8) {
            0 => Self::None,
            1 => Self::All,
            2 | 3 => Self::Until(random.draw() as usize % (deeds + 1)),
            other => Self::Coins(PIECES[other as usize % PIECES.len()]),
        }
    }
}

impl Platter {
    pub(super) fn new(roots: &[PathBuf]) -> Self {
        let mut platter = Self { roots: roots.to_vec(), ..Self::default() };
        roots.iter().for_each(|root| platter.found(root, Node::Folder));
        platter
    }

    /// Something that is there from the beginning.
    pub(super) fn found(&mut self, path: &Path, node: Node) {
        self.names.insert(path.to_owned(), node.clone());
        self.seen.insert(path.to_owned(), node);
    }

    /// A file with these bytes, which are certain, and no name as yet.
    pub(super) fn file(&mut self, bytes: Vec<u8>) -> File {
        self.files.push(bytes);
        self.files.len() - 1
    }

    pub(super) fn do_deed(&mut self, deed: Deed) {
        rename(&mut self.seen, &deed);
        self.deeds.push((deed, Certainty::Possible));
    }

    /// How many deeds there are: what a sync that begins now is about.
    pub(super) fn deeds(&self) -> usize {
        self.deeds.len()
    }

    /// What is called so now.
    pub(super) fn node(&self, path: &Path) -> Option<&Node> {
        self.seen.get(path)
    }

    pub(super) fn seen(&self) -> impl DoubleEndedIterator<Item = (&PathBuf, &Node)> {
        self.seen.iter()
    }

    /// Whether any deed was about the bytes of a file; those of others are not known here.
    pub(super) fn is_changed(&self, file: File) -> bool {
        self.deeds.iter().any(|(deed, _)| is_about(deed, file))
    }

    /// The bytes of a file have been synced; only the first `deeds` deeds were there when that began.
    pub(super) fn sync_file(&mut self, synced: File, deeds: usize) {
        self.settle(deeds, |deed| is_about(deed, synced));
    }

    /// The names in a folder have been synced; a move between two folders is one deed for both.
    pub(super) fn sync_folder(&mut self, folder: &Path, deeds: usize) {
        let within = |path: &Path| path.parent() == Some(folder);
        self.settle(deeds, |deed| match deed {
            Deed::Name { path, .. } | Deed::Unname { path } => within(path),
            Deed::Move { from, to, .. } => within(from) || within(to),
            _ => false,
        });
    }

    fn settle(&mut self, deeds: usize, is_meant: impl Fn(&Deed) -> bool) {
        for (deed, certainty) in self.deeds.iter_mut().take(deeds) {
            if is_meant(deed) {
                *certainty = Certainty::Certain;
            }
        }
    }

    /// A disk as it may be when the power goes now.
    pub(super) fn cut(&self, luck: Luck, random: &mut Random) -> Found {
        let mut found = Found { names: self.names.clone(), files: self.files.clone() };
        for (index, (deed, certainty)) in self.deeds.iter().enumerate() {
            let luck = if *certainty == Certainty::Certain { Luck::All } else { luck };
            found.apply(deed, index, luck, random);
        }
        found.drop_lost(&self.roots);
        found
    }
}

impl Found {
    fn apply(&mut self, deed: &Deed, index: usize, luck: Luck, random: &mut Random) {
        let mut keep = || match luck {
            Luck::None => false,
            Luck::All => true,
            Luck::Until(end) => index < end,
            Luck::Coins(_) => random.within(0..2) == 0,
        };
        match deed {
            Deed::Write { file, at, bytes } => {
                let Some(file) = self.files.get_mut(*file) else { return };
                match luck {
                    Luck::Until(end) if index == end => {
                        write(file, *at, bytes.get(..bytes.len() / 2).unwrap_or_default());
                    }
                    Luck::Coins(size) => {
                        for (offset, piece) in pieces(*at, bytes, size) {
                            if keep() {
                                write(file, offset, piece);
                            }
                        }
                        // The length may be on the disk before the bytes are.
                        if keep() && file.len() < at + bytes.len() {
                            file.resize(at + bytes.len(), 0);
                        }
                    }
                    _ if keep() => write(file, *at, bytes),
                    _ => {}
                }
            }
            Deed::Resize { file, length } if keep() => {
                if let Some(file) = self.files.get_mut(*file) {
                    file.resize(*length, 0);
                }
            }
            Deed::Resize { .. } => {}
            named if keep() => rename(&mut self.names, named),
            _ => {}
        }
    }

    /// What lies in a folder that did not reach the disk is not there either.
    fn drop_lost(&mut self, roots: &[PathBuf]) {
        let mut kept = BTreeMap::new();
        // A folder comes before what lies in it.
        for (path, node) in std::mem::take(&mut self.names) {
            let above = path.parent().and_then(|parent| kept.get(parent));
            if above == Some(&Node::Folder) || roots.contains(&path) {
                kept.insert(path, node);
            }
        }
        self.names = kept;
    }
}

fn is_about(deed: &Deed, wanted: File) -> bool {
    matches!(deed, Deed::Write { file, .. } | Deed::Resize { file, .. } if *file == wanted)
}

fn rename(names: &mut BTreeMap<PathBuf, Node>, deed: &Deed) {
    match deed {
        Deed::Name { path, node } => drop(names.insert(path.clone(), node.clone())),
        Deed::Unname { path } => drop(names.remove(path)),
        Deed::Move { from, to, node } => {
            names.remove(from);
            names.insert(to.clone(), node.clone());
        }
        Deed::Write { .. } | Deed::Resize { .. } => {}
    }
}

fn write(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let end = at + bytes.len();
    if file.len() < end {
        file.resize(end, 0);
    }
    if let Some(place) = file.get_mut(at..end) {
        place.copy_from_slice(bytes);
    }
}

/// The parts of a write by where they lie on the disk.
fn pieces(at: usize, bytes: &[u8], size: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let first = (size - at % size).min(bytes.len());
    let (head, rest) = bytes.split_at(first);
    let rest = rest.chunks(size).enumerate().map(move |(n, piece)| (at + first + n * size, piece));
    std::iter::once((at, head)).chain(rest)
}
