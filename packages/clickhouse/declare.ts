/** Types without values: nothing of a declaration is there at run time but its name. */
export function declare<Taken, Given>(): { readonly parameters: Taken; readonly row: Given } {
  return {} as { parameters: Taken; row: Given };
}
