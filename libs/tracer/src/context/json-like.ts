/** Any object of data; what JSON cannot hold is captured as a marker or with a type note. */
export type JsonLike = object;
