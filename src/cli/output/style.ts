/** Colour as emphasis: the text says everything without it. */
export type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

const sgr =
  (on: number, off: number): Paint =>
  (text) =>
    `\u001b[${on}m${text}\u001b[${off}m`;

const coloured: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
};

const asIs: Paint = (text) => text;
const plain: Style = { bold: asIs, dim: asIs, red: asIs, green: asIs, yellow: asIs, cyan: asIs };

/** Colours for a terminal that wants them (https://no-color.org); otherwise none. */
export const styleFor = (isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): Style =>
  isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb' ? coloured : plain;
