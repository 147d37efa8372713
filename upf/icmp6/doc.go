// Package icmp6 makes the ICMPv6 messages of a UE's router: to a Router Solicitation its
// prefix, to a Neighbour Solicitation for the router itself an answer, to a packet that
// does not fit a link the MTU (RFC 4861, RFC 4443, 3GPP TS 29.061 clause 11.2.1.3.2). It
// is the UE's only neighbour: the link is a tunnel and has no addresses of its own.
package icmp6
