/** Stands in a list for an item that was not read because it is beyond its limits. The schemas of rows refuse it with this message. */
export class ItemFault {
  readonly field: string;
  readonly message: string;

  constructor(field: string, message: string) {
    this.field = field;
    this.message = message;
  }
}
