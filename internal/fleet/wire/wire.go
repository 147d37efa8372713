// Package wire is what upflab knows of NATS' own protocols beneath its client library: subjects and statuses that the
// library keeps to itself. Its calls wait for an answer to each message, ask one queue at a time, and upload a result as one
// stream; agents on links that are cut and come back need single messages instead, which these are.
//
// They are of NATS 2.2 and later: ADR-6 (JetStream's subjects), ADR-8 (key-value buckets), ADR-20 (object stores) and ADR-37
// of github.com/nats-io/nats-architecture-and-design.
package wire

import (
	"encoding/base64"
	"fmt"
	"hash"
	"strings"
	"time"
)

// Key is the subject that a key of a bucket is written by.
func Key(bucket, key string) string { return "$KV." + bucket + "." + key }

// Chunk is the subject of the parts of an object, by the number of its upload.
func Chunk(store, upload string) string { return "$O." + store + ".C." + upload }

// Info is the subject of what is said of an object.
func Info(store, object string) string {
	return "$O." + store + ".M." + base64.URLEncoding.EncodeToString([]byte(object))
}

// Digest is how object stores write a SHA-256.
func Digest(sum hash.Hash) string {
	return "SHA-256=" + base64.URLEncoding.EncodeToString(sum.Sum(nil))
}

// Next is the subject by which a consumer of a stream is asked for its next message.
func Next(stream, consumer string) string {
	return "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + consumer
}

// Question asks for one message, and is answered within a time in any case.
func Question(within time.Duration) []byte {
	return fmt.Appendf(nil, `{"batch":1,"expires":%d}`, max(within, time.Millisecond).Nanoseconds())
}

// AtOnce asks for a message that is there already.
func AtOnce() []byte { return []byte(`{"batch":1,"no_wait":true}`) }

// IsMessage reports whether an answer is a message of a stream, by where it is to be acknowledged. Any other has a Status.
func IsMessage(stream, reply string) bool { return strings.HasPrefix(reply, "$JS.ACK."+stream+".") }

// Expired is the status of a question to which no message came in its time.
const Expired = "408"
