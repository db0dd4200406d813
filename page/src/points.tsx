import { scaleLinear } from "d3-scale";
import { usePage } from "./page";

const WIDTH = 72;
const HEIGHT = 14;

/** Numbers at points in time: `12 → 40 (+28)`; of three and more a line, and the last of them. What changed may stand beside it. */
export function Points({ counts, bare = false }: { counts: number[]; bare?: boolean }) {
  const { dump } = usePage();
  const change = counts[counts.length - 1] - counts[0];
  const way = change > 0 ? "grown" : change < 0 ? "shrunk" : "same";
  const texts = counts.map((count) => dump.amount(count));
  return (
    <span class={`points ${way}`} data-testid="points" title={texts.map((text, at) => `${dump.points[at]}: ${text}`).join("\n")}>
      {counts.length > 2 ? <Spark counts={counts} text={texts.join(", ")} /> : `${texts[0]} → `}
      {texts[texts.length - 1]}
      {!bare && <span class="change"> ({dump.change(change)})</span>}
    </span>
  );
}

/** A series in the width of a word, from its lowest to its highest. */
export function Spark({ counts, text }: { counts: number[]; text: string }) {
  const across = scaleLinear([0, counts.length - 1], [1, WIDTH - 1]);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  const up = scaleLinear(low === high ? [low - 1, high + 1] : [low, high], [HEIGHT - 1, 1]);
  const points = counts.map((count, at) => `${across(at).toFixed(1)},${up(count).toFixed(1)}`);
  return (
    <svg class="spark" role="img" aria-label={text} width={WIDTH} height={HEIGHT}>
      <polyline points={points.join(" ")} />
    </svg>
  );
}
