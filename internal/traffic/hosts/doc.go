// Package hosts is one measurement over several hosts: the sources and sinks of package
// traffic, on hosts that are asked by messages. The host with the UPF leads. It deals the
// sessions to the CPUs of all hosts as it would to its own, has all begin at one time, and
// merges what they report by the same code.
//
// A Session is the leader's side, a Follower that of each other host. How messages get from
// one to the other is a Caller's business.
package hosts
