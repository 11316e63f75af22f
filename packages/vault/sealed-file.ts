import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { createVault, type MasterKey, UnreadableSecret } from './vault.ts';

/**
 * Seals a file of any size, in frames that are opened one by one. The file has its own key, which the vault seals into the header. The
 * position of a frame and whether it is the last are authenticated: a truncated, recombined or renamed file does not open.
 */
const algorithm = 'aes-256-gcm';
const tagBytes = 16;
const frameBytes = 1 << 20;
const magic = Buffer.from('TRIBUTARY-SEALED-1\n');

const sealLocation = (name: string) => ({ table: 'sealed file', column: 'key', row: name, profileId: '' });

/** The nonce of a frame is its number, which is unique because the key is used for one file only. */
function nonceOf(frame: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(frame, 6, 6);
  return nonce;
}

const lastFlag = (isLast: boolean) => Buffer.from([isLast ? 1 : 0]);

/** `name` is the name under which the file will be opened. */
export function sealFile(keys: readonly MasterKey[], name: string): Transform {
  const key = randomBytes(32);
  const sealed = createVault(keys).seal(key.toString('base64'), sealLocation(name));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(sealed.length);
  let frame = 0;
  const write = (stream: Transform, plain: Buffer, isLast: boolean) => {
    const cipher = createCipheriv(algorithm, key, nonceOf(frame), { authTagLength: tagBytes }).setAAD(lastFlag(isLast));
    frame += 1;
    stream.push(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
  };
  return inFrames(frameBytes, {
    begin: (stream) => stream.push(Buffer.concat([magic, length, sealed])),
    frame: write,
  });
}

export function openFile(keys: readonly MasterKey[], name: string): Transform {
  const vault = createVault(keys);
  let key: Buffer | undefined;
  let frame = 0;
  const read = (stream: Transform, sealed: Buffer, isLast: boolean) => {
    if (!key || sealed.length < tagBytes) throw unreadable(name);
    try {
      const body = sealed.length - tagBytes;
      const decipher = createDecipheriv(algorithm, key, nonceOf(frame), { authTagLength: tagBytes })
        .setAAD(lastFlag(isLast))
        .setAuthTag(sealed.subarray(body));
      frame += 1;
      stream.push(Buffer.concat([decipher.update(sealed.subarray(0, body)), decipher.final()]));
    } catch {
      throw unreadable(name);
    }
  };
  return inFrames(frameBytes + tagBytes, {
    head(bytes) {
      const start = magic.length + 2;
      if (bytes.length < start) return 0;
      if (!bytes.subarray(0, magic.length).equals(magic)) throw unreadable(name);
      const end = start + bytes.readUInt16BE(magic.length);
      if (bytes.length < end) return 0;
      key = Buffer.from(vault.open(bytes.subarray(start, end), sealLocation(name)), 'base64');
      return end;
    },
    frame: read,
  });
}

const unreadable = (name: string) =>
  new UnreadableSecret(`${name} does not open: another key, another file, or changed bytes.`);

interface Frames {
  readonly begin?: (stream: Transform) => void;
  /** The number of bytes before the first frame; 0 while that is unknown. */
  readonly head?: (bytes: Buffer) => number;
  readonly frame: (stream: Transform, bytes: Buffer, isLast: boolean) => void;
}

/** Splits a stream into frames of one size. The last frame is known only at the end, so one full frame is always held back. */
function inFrames(size: number, { begin, head, frame }: Frames): Transform {
  let buffered: Buffer[] = [];
  let length = 0;
  let hasBegun = false;
  const runGuarded = (done: TransformCallback, act: () => void) => {
    try {
      act();
    } catch (error) {
      return done(error as Error);
    }
    done();
  };
  const start = (stream: Transform) => {
    if (hasBegun) return true;
    if (head) {
      const all = Buffer.concat(buffered);
      const end = head(all);
      if (end === 0) return false;
      buffered = [all.subarray(end)];
      length = all.length - end;
    }
    begin?.(stream);
    hasBegun = true;
    return true;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      buffered.push(chunk);
      length += chunk.length;
      runGuarded(done, () => {
        if (!start(this) || length <= size) return;
        let all = Buffer.concat(buffered);
        while (all.length > size) {
          frame(this, all.subarray(0, size), false);
          all = all.subarray(size);
        }
        buffered = [all];
        length = all.length;
      });
    },
    flush(done) {
      runGuarded(done, () => {
        if (!start(this)) throw new UnreadableSecret('The file ends before its first frame.');
        frame(this, Buffer.concat(buffered), true);
      });
    },
  });
}
