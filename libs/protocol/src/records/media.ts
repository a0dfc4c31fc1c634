/**
 * An image, a sound or a file that recorded values refer to. The service stores its bytes once per account. A span line may
 * only follow the media lines of what it refers to.
 */
export interface MediaRecord {
  /** SHA-256 of the bytes, in lower-case hex. */
  id: string;
  /** The trace with the value. The service deletes media with the last trace that refers to them. */
  trace_id: string;
  /** MIME type, `application/octet-stream` if unknown. */
  type: string;
  /** Bytes. */
  size: number;
  /** The bytes as base64. Absent if the service received them a moment ago. */
  data?: string;
}
