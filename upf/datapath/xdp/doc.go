// Package xdp is the reference UPF's fast datapath: an XDP program on N3 that
// takes GTP-U off and one on N6 that puts it on. Packets never leave the
// kernel's receive path; user space compiles rules into the programs' maps.
//
// A packet costs one hash lookup, by TEID (uplink) or UE address (downlink),
// whose value holds all that PDR, FAR and QERs say about it, and one look into
// a cache of next hops. What is not the user plane's, which is ARP, N4, GTP-U
// signalling (TS 29.281 clause 7), fragments and everything else, is passed to
// the kernel.
//
// That is so for a key with one PDR that asks for the UE's address and a QFI at most.
// Other keys have a chain of rows: blocks in a further map, compared one by one, with
// the numbers of the meters that limit what they forward.
//
// Done: IPv4 and IPv6 in IPv4 and IPv6, QFI matching and marking (TS 38.415), UE source check, SDF
// filters and precedence, gates, MBR, URRs, TTL, MTU, N9. Packets of FARs with BUFF go to user
// space. UDP and outer IP checksums are not verified on N3, as UPFs commonly
// do not.
package xdp
