export type { OutgoingMessage } from './address.ts';
export type { ConsumeOptions, ConsumerSettings } from './consumer.ts';
export type { CopiedMessage } from './copy.ts';
export type { DeadLetter, DeadLetterPage } from './dead-letters.ts';
export {
  DeadLetterMissing,
  isStreamUnavailable,
  MessageRefused,
  PublishFailed,
  type Receipt,
  RetryLater,
  ServerUnsuitable,
  StreamConflict,
  StreamError,
  StreamUnreachable,
} from './errors.ts';
export type { Fill } from './fill.ts';
export type { ConsumerEvent, Handler, StreamMessage } from './handler.ts';
export { connectionOptions } from './link.ts';
export { partitionOf } from './partition.ts';
export { isPassed, type StreamPosition } from './positions.ts';
export type { PublishOptions } from './publisher.ts';
export { type ConnectOptions, connectStream, type Stream, streamOptions } from './stream.ts';
export {
  declareStreams,
  defaultStreamSettings,
  type StreamName,
  type StreamSettings,
  type WorkStreamName,
} from './streams.ts';
export type { WorkStream } from './work-stream.ts';
