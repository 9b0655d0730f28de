// What is shown where a view cannot be: what is wrong, and what to do next.

import { follow } from "../route";

export function Trouble({ message, hint }: { message: string; hint: string }) {
  return (
    <section className="trouble" role="alert">
      <h2>{message}</h2>
      {hint !== "" && <p>{hint}</p>}
      <p>
        <a className="button" href="/" onClick={follow}>
          To the beginning
        </a>
      </p>
    </section>
  );
}
