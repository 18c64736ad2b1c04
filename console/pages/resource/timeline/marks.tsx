import { type Axis, densityOf } from './axis.ts';
import { placeLabels } from './words.ts';

interface Props {
  readonly texts: readonly string[];
  readonly axis: Axis;
  readonly width: number;
  readonly cursor: number;
}

const height = 48;
const barWidth = 8;

/** Events as marks with a word each where there is room; as density where there are more than that. */
export function Marks(props: Props) {
  const { texts, width } = props;
  return (
    <svg className="marks" width={width} height={height} aria-hidden="true">
      {texts.length > width / 12 ? <Density {...props} /> : <Labelled {...props} />}
    </svg>
  );
}

function Labelled({ texts, axis, width, cursor }: Props) {
  return (
    <>
      {axis.xs.map((x, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an event is told by its place
        <path key={index} d={`M${x} 2l4 8h-8z`} className={index === cursor ? 'mark current' : 'mark'} />
      ))}
      {placeLabels(texts, axis.xs, width, cursor).map(({ index, x, row, text }) => (
        <text key={index} x={x} y={24 + row * 16} className={index === cursor ? 'label current' : 'label'}>
          {text}
        </text>
      ))}
    </>
  );
}

function Density({ axis, cursor }: Props) {
  const bars = densityOf(axis.xs, barWidth);
  const most = Math.max(...bars.map(({ count }) => count));
  return (
    <>
      {bars.map(({ x, count }) => {
        const tall = Math.max(2, (count / most) * height);
        return <rect key={x} x={x} y={height - tall} width={barWidth - 1} height={tall} className="density" />;
      })}
      <rect x={axis.xs[cursor]! - 1} y={0} width={2} height={height} className="density-cursor" />
    </>
  );
}
