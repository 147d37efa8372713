// Package xdp is the reference UPF's fast datapath: an XDP program on N3 that
// takes GTP-U off and one on N6 that puts it on. Packets never leave the
// kernel's receive path; user space compiles rules into the programs' maps.
//
// A packet costs one lookup, by TEID (uplink) or UE address (downlink), whose
// value holds all that PDR, FAR and QERs say about it, and one look into a cache
// of next hops. The value is eight octets in a table that has a place for each
// address at the beginning of a pool, and for the low bits of each TEID; a TEID whose
// place is taken, and other addresses, are in a hash map. What is not the user plane's, which is ARP, N4, GTP-U
// signalling (TS 29.281 clause 7), fragments and everything else, is passed to
// the kernel.
//
// That is so for a key with one PDR that asks for the UE's address and a QFI at most.
// Other keys have a chain of rows, compared one by one, or where they are many a tree of
// them, with the numbers of the meters that limit what they forward and of the usages that
// count it. Rows, meters and usages are in tables of cache lines that this process maps:
// it changes them, and the values above, without a system call.
//
// Done: IPv4 and IPv6 in IPv4 and IPv6, QFI matching and marking (TS 38.415), UE source check, SDF
// filters and precedence, gates, MBR, URRs, TTL, MTU, N9. Packets of FARs with BUFF go to user
// space. UDP and outer IP checksums are not verified on N3, as UPFs commonly
// do not.
package xdp
