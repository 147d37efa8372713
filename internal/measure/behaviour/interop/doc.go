// Package interop plays the N4 conversations of real SMFs against UPFs. A dialect is such a conversation: the requests of an
// SMF as trees of IEs, with placeholders where a lab has its own addresses, TEIDs and names. After each message packets
// show whether the user plane does what the rules so far mean. Record makes a dialect from a capture.
package interop
