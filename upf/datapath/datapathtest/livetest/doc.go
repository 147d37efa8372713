// Package livetest tests datapaths that are open on interfaces: frames by scapy go in by
// a veth pair and come out of another. What it makes goes with the test.
package livetest
