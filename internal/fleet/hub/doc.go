// Package hub runs a NATS JetStream server inside upflab, with the keys of those who
// may use it.
package hub
