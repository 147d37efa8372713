package interop

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// octets makes octets of a template: hexadecimal digits, {placeholders}, and flow "TEXT", which is a text after its length of
// two octets, in which {dn} and {ue} are addresses. place gives the octets of a placeholder.
func octets(template string, place func(name string) ([]byte, error)) (out []byte, err error) {
	for rest := strings.TrimSpace(template); rest != ""; rest = strings.TrimSpace(rest) {
		var part []byte
		switch {
		case strings.HasPrefix(rest, "{"):
			name, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return nil, errors.New("a placeholder lacks a }")
			}
			part, err = place(name)
			rest = after
		case strings.HasPrefix(rest, `flow "`):
			text, after, closed := strings.Cut(rest[len(`flow "`):], `"`)
			if !closed {
				return nil, errors.New("a flow description lacks a closing quote")
			}
			part, err = flow(text, place)
			rest = after
		default:
			word, after, _ := strings.Cut(rest, " ")
			if part, err = hex.DecodeString(word); err != nil {
				err = errors.New("it has what is neither octets in hexadecimal nor a {placeholder}")
			}
			rest = after
		}
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	if len(out) > 1<<14 {
		return nil, errors.New("it is longer than 16384 octets")
	}
	return out, nil
}

// flow is a Flow Description after its length (TS 29.244 clause 8.2.5).
func flow(text string, place func(string) ([]byte, error)) ([]byte, error) {
	for _, name := range []string{host, ue} {
		v, err := place(name)
		if err != nil {
			return nil, err
		}
		if a, ok := netip.AddrFromSlice(v); ok {
			text = strings.ReplaceAll(text, "{"+name+"}", a.String())
		}
	}
	if len(text) > 1<<14 {
		return nil, errors.New("a flow description is longer than 16384 octets")
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...), nil
}

// Placeholders.
const (
	smfAddr, seid, recovery, teid, n3, ue   = "smf", "seid", "recovery", "teid", "n3", "ue"
	instance, instanceLabels, gnbN, tunnelN = "instance", "instance.labels", "gnb", "tunnel"
	host                                    = "dn" // of the data network
)

// known accepts the names of placeholders.
func known(name string) ([]byte, error) {
	switch name {
	case smfAddr, seid, recovery, teid, n3, ue, instance, instanceLabels, host:
		return nil, nil
	}
	if prefix, n := numbered(name); n > 0 && (prefix == gnbN || prefix == tunnelN) {
		return nil, nil
	}
	return nil, fmt.Errorf("{%s} is not known: use {smf}, {seid}, {recovery}, {teid}, {n3}, {ue}, {dn}, {instance}, {instance.labels}, "+
		"{gnb}, {gnb2}, {tunnel}, {tunnel2} and so on", name)
}

// numbered splits a placeholder with a number: "gnb2" is gnb and 2, and "gnb" is gnb and 1. 0: it has a wrong one.
func numbered(name string) (prefix string, n int) {
	prefix = strings.TrimRight(name, "0123456789")
	if prefix == name {
		return name, 1
	}
	n, err := strconv.Atoi(name[len(prefix):])
	if err != nil || n < 2 || n > 99 {
		return prefix, 0
	}
	return prefix, n
}
