// Package trex sends and receives by a TRex server (stateless mode, v3) that somebody
// else runs: Cisco's traffic generator, https://trex-tgn.cisco.com. Server is the
// connection to it with two of its ports; Engine is traffic.Engine on them.
//
// The protocol is JSON-RPC 2.0 (TRex, "RPC server specification") in messages of ZeroMQ,
// which zmtp.go speaks as far as it is needed: the client of a request socket. Messages
// longer than a few octets may be compressed.
//
// What TRex does not measure is not in an outcome; Differences lists it.
package trex
