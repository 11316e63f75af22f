/** Placeholder for a list item that exceeds a limit and was not parsed. Row schemas reject it with this message. */
export class ItemFault {
  readonly field: string;
  readonly message: string;

  constructor(field: string, message: string) {
    this.field = field;
    this.message = message;
  }
}
