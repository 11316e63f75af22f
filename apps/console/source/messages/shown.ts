/** The parameters of a sentence: numbers, money and times are already formatted. */
export type Shown = string | number;
