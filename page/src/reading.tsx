import type { Problem } from "./document";
import { usePage } from "./page";
import { thousands } from "./amount";

function problemText({ text, more = 0 }: Problem): string {
  return more > 0 ? `${text}; ${thousands(more)} more like it` : text;
}

/** What was read, and what was lost. */
export function Reading() {
  const { dump } = usePage();
  const { failed = [], archive_warnings: archives = [], skipped_members: skipped = 0, version } = dump.document;
  return (
    <section class="sheet" aria-label="Reading" tabIndex={0}>
      {failed.length > 0 && (
        <>
          <h2>Not read</h2>
          <ul>
            {failed.map((one) => (
              <li class="error">{problemText(one)}</li>
            ))}
          </ul>
        </>
      )}
      {archives.length > 0 && (
        <>
          <h2>Odd archives</h2>
          <ul>
            {archives.map((one) => (
              <li>{problemText(one)}</li>
            ))}
          </ul>
        </>
      )}
      {skipped > 0 && <p>{thousands(skipped)} members of archives were skipped: their content is unknown.</p>}
      <table>
        <thead>
          <tr>
            <th scope="col">input</th>
            <th scope="col">format</th>
            <th scope="col">read</th>
            <th scope="col">goroutines</th>
            <th scope="col">lost or noted</th>
          </tr>
        </thead>
        <tbody>
          {dump.inputs.map((input) => (
            <tr data-testid="input">
              <th scope="row">
                {input.name}
                <div class="place">{input.path}</div>
              </th>
              <td>{input.format}</td>
              <td class={input.complete ? "" : "error"}>{input.complete ? "complete" : "not complete"}</td>
              <td class="count">
                {thousands(input.goroutines)}
                {input.announced !== undefined &&
                  input.announced !== input.goroutines &&
                  ` of ${thousands(input.announced)} announced`}
              </td>
              <td>
                {input.warnings.map((warning) => (
                  <div>
                    {warning.line !== undefined && `line ${warning.line}: `}
                    {warning.text}
                    {warning.more ? `; ${thousands(warning.more)} more like it` : ""}
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="facts">Written by stackgazer {version}. Counts are of what was selected when the page was written.</p>
    </section>
  );
}
