// Package smf is the SMF's side of the N4 interface: the PFCP of 3GPP TS 29.244
// as a control plane function speaks it to a UPF.
//
// There is one code for all UPFs. What a UPF insists on beyond the
// specification, or cannot do within it, is a Dialect: data, not code.
//
//	client, err := smf.Dial(smf.Config{Conn: conn, Peer: upf, NodeID: smf, Dialect: smf.Standard()})
//	association, err := client.Associate(ctx)
//	established, err := client.Establish(ctx, sessions)
//
// Requests are pipelined: up to Config.Window of them wait for their answers at
// once, each with its own retransmission by T1 and N1 (clause 6.4).
package smf
