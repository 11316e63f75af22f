/** Declares the parameter and row types of a query. The types exist only at compile time. */
export function declare<QueryParameters, QueryRow>(): { readonly parameters: QueryParameters; readonly row: QueryRow } {
  return {} as { parameters: QueryParameters; row: QueryRow };
}
