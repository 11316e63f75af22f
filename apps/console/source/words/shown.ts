/** What a sentence takes: numbers, money and moments come as they are shown. */
export type Shown = string | number;
