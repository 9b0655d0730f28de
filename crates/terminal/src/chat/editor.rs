//! Ctrl+G: what is typed goes to an editor of the person's own, and comes back.

use super::Chat;
use crate::{Error, guard};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

impl<W: Write> Chat<W> {
    pub(super) async fn edit_outside(&mut self) -> Result<(), Error> {
        let Some(editor) = self.settings.editor.clone() else {
            self.talk.error("no editor is set", "set EDITOR to the one you like", &self.look);
            self.draw_now();
            return Ok(());
        };
        let path = match draft(&self.prompt.whole()) {
            Ok(path) => path,
            Err(error) => {
                self.talk.error(&format!("the text cannot be handed to an editor: {error}"), "", &self.look);
                return Ok(());
            }
        };
        self.screen.erase()?;
        guard::set_below(0);
        self.source.pause();
        if let Some(guard) = &self.guard {
            guard.lend();
        }
        // On a thread of its own, so that a run goes on meanwhile.
        let ended = tokio::task::spawn_blocking({
            let path = path.clone();
            move || edit(&editor, &path)
        });
        let ended = ended.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        let mut ahead = 0;
        if let Some(guard) = &self.guard {
            guard.back()?;
            ahead = guard.typed_ahead();
        }
        self.source.listen(ahead)?;
        self.screen.forget();
        self.take_back(&path, ended);
        let _ = fs::remove_file(&path);
        self.draw_now();
        Ok(())
    }

    fn take_back(&mut self, path: &Path, ended: io::Result<ExitStatus>) {
        match ended.and_then(|status| Ok((status, fs::read_to_string(path)?))) {
            Ok((status, text)) if status.success() => {
                self.prompt.set(text.strip_suffix('\n').unwrap_or(&text))
            }
            Ok((status, _)) => self.talk.error(&format!("the editor ended with {status}"), "", &self.look),
            Err(error) => self.talk.error(&format!("the editor cannot be used: {error}"), "", &self.look),
        }
    }
}

/// A file of this person's own with the text.
fn draft(text: &str) -> io::Result<PathBuf> {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("cinque-prompt-{}.md", std::process::id()));
    let _ = fs::remove_file(&path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path)?.write_all(text.as_bytes())?;
    Ok(path)
}

/// The editor's setting is shell source: it may hold options.
fn edit(editor: &str, path: &Path) -> io::Result<ExitStatus> {
    Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(path).status()
}
