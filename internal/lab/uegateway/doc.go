// Package uegateway puts applications behind a UPF. It makes a network namespace that
// has the UEs' addresses, and lets the kernel be the gNB between it and N3: two
// classifiers at tc encapsulate what the UEs send into GTP-U (TS 29.281) with a PDU
// session container (TS 38.415), and decapsulate what the UPF sends them. No packet
// passes user space.
//
//	namespace upflab-RUN-ue            the gNB's namespace
//	 UE addresses   ue-RUN ---veth--- ue-RUN  from_ue ->  N3 ---> UPF
//	                                          from_n3 <-     <---
package uegateway
