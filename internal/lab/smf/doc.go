// Package smf is the SMF's side of the N4 interface: the PFCP of 3GPP TS 29.244 as a control plane
// function speaks it to a UPF.
//
// There is one code for all UPFs. What a UPF insists on beyond the specification, or cannot do within
// it, is a [Dialect]: data, not code. From the ground up:
//
//   - Package rules is the model of a session and of a change to it. [Session] and [Change] are the
//     presets of a load; behaviour cases build their own rules.
//   - [Writer] writes rules in a dialect, and [Message] reads what a UPF sends, with a [Strictness].
//   - A [Transaction] is a request that is sent until it is answered, by T1 and N1 (clause 6.4).
//     [Client.Exchange] waits for the answer; with [Client.Begin] a [Waiter] is called.
//   - [Client] is the association: it answers the UPF's requests, pipelines those about sessions, up
//     to Config.Window at once, and collects what the UPF does wrong (Findings).
package smf
