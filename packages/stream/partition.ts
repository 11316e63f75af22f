import { crc32 } from 'node:zlib';

/**
 * The partition of a key. All processes must agree whatever their version, so the hash is a standard one and never changes: CRC-32 of the
 * key's UTF-8 bytes.
 */
export function partitionOf(key: string, partitions: number): number {
  return crc32(key) % partitions;
}
