// Package search finds the rates that a device carries, from nothing but trials:
// it chooses a load and a duration, gets what was sent and what was lost, and
// chooses again. It measures nothing itself, so every search is proven on
// simulated devices.
//
//   - [MLRsearch]: several loss ratios at once (RFC 9971), with presets;
//   - [Throughput]: RFC 2544 throughput by binary search, with the loss
//     verification of ETSI GS NFV-TST 009 when asked for;
//   - [LossCurve]: frame loss rate over load (RFC 2544 clause 26.3);
//   - [BackToBack]: the longest burst without loss (RFC 9004).
//
// Every search ends with a result that says what it is worth: a rate is given
// out only when its search came to its own end, and [Reason] says why not.
// A report carries a standard's name only when Standard finds nothing missing.
//
// The choice of loads in MLRsearch, which RFC 9971 leaves open, follows the
// authors' own implementation (MLRsearch 1.2.1, Cisco and others, Apache-2.0),
// so that searches take the same way and the same time; the tests hold the two
// against each other on the same devices.
package search
