// Putting a call's edits back: first a look, then the deed. Start at `UndoButton`.

import { useState } from "react";

import { api, type UndoMode } from "../api";
import { desk } from "../desk";
import type { Undone } from "../generated/shapes";
import { Dialog } from "./dialog";
import { Diff } from "./diff";
import { Icon } from "./icon";

export function UndoButton({ id, callId }: { id: string; callId: string }) {
  const [seen, setSeen] = useState<Undone | null>(null);
  const look = () => desk.attempt(async () => setSeen(await api.undo(id, callId, "look")));
  const put = (mode: UndoMode) =>
    desk.attempt(async () => {
      const done = await api.undo(id, callId, mode);
      setSeen(done.done ? null : done);
    });
  return (
    <div className="undo">
      <button type="button" onClick={() => void look()}>
        <Icon name="undo" /> Undo this edit…
      </button>
      {seen && <Look seen={seen} onPut={(mode) => void put(mode)} onClose={() => setSeen(null)} />}
    </div>
  );
}

function Look({ seen, onPut, onClose }: { seen: Undone; onPut(mode: UndoMode): void; onClose(): void }) {
  const contested = seen.files.filter((file) => file.contested);
  return (
    <Dialog title="Put these files back?" onClose={onClose}>
      {seen.files.length === 0 && <p>There is nothing to put back: the files are as they were.</p>}
      {contested.map((file) => (
        <p key={file.path} className="warning">
          <code>{file.path}</code>: {file.contested}
        </p>
      ))}
      {seen.commands.length > 0 && (
        <p className="warning">
          Commands ran since, whose changes no undo knows of: <code>{seen.commands.join("; ")}</code>
        </p>
      )}
      <div className="dialog-scroll" tabIndex={0} role="region" aria-label="What would change">
        {seen.files.map((file) => (
          <Diff key={file.path} diff={file.diff} />
        ))}
      </div>
      <div className="actions">
        {seen.files.length > 0 && contested.length === 0 && (
          <button type="button" className="primary" onClick={() => onPut("unchanged")}>
            Put back
          </button>
        )}
        {contested.length > 0 && (
          <button type="button" className="danger" onClick={() => onPut("whatever")}>
            Put back all the same
          </button>
        )}
        <button type="button" onClick={onClose}>
          Leave as it is
        </button>
      </div>
    </Dialog>
  );
}
