/** How a view is drawn. Sizes are in CSS pixels. */
export interface ViewLayout {
  /** The property with the picture of a card; null for none. */
  readonly image: string | null;
  /** Whether a picture is shown whole instead of filling its frame. */
  readonly isImageWhole: boolean;
  /** The height of a picture divided by its width. */
  readonly imageRatio: number;
  readonly cardSize: number | null;
  /** The widths of columns, by property. */
  readonly columnSizes: ReadonlyMap<string, number>;
  readonly markers: 'bullet' | 'number' | 'none';
  /** Whether a list has the properties of an item below it instead of beside it. */
  readonly isIndented: boolean;
  /** The text between the properties of an item. */
  readonly separator: string;
}

const MIN_SIZE_PX = 40;
const MAX_SIZE_PX = 1_000;
const MIN_RATIO = 0.1;
const MAX_RATIO = 4;
const MAX_SEPARATOR_CHARACTERS = 20;

/** Reads how a view is drawn. What is missing or has another type is as Obsidian has it by default. */
export function readLayout(view: Readonly<Record<string, unknown>>): ViewLayout {
  const { image, imageFit, imageAspectRatio, cardSize, columnSize, markers, indentProperties, separator } = view;
  const sizes = Object.entries(typeof columnSize === 'object' && columnSize !== null ? columnSize : {});
  return {
    image: typeof image === 'string' && image !== '' ? image : null,
    isImageWhole: imageFit === 'contain',
    imageRatio: readNumber(imageAspectRatio, MIN_RATIO, MAX_RATIO) ?? 1,
    cardSize: readSize(cardSize),
    columnSizes: new Map(
      sizes.flatMap(([name, value]) => {
        const size = readSize(value);
        return size === null ? [] : [[name, size] as const];
      }),
    ),
    markers: markers === 'number' || markers === 'none' ? markers : 'bullet',
    isIndented: indentProperties === true,
    separator: typeof separator === 'string' ? separator.slice(0, MAX_SEPARATOR_CHARACTERS) : ',',
  };
}

function readSize(value: unknown): number | null {
  return readNumber(value, MIN_SIZE_PX, MAX_SIZE_PX);
}

function readNumber(value: unknown, min: number, max: number): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, min), max) : null;
}
