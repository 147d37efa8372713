package smf

import "strings"

// encodeInstance writes a Network Instance (clause 8.2.4); nil when there is
// none to send. Labels are at most 63 octets each: Config checks that.
func encodeInstance(how Instance, name string) []byte {
	switch {
	case how == InstanceOmitted || name == "":
		return nil
	case how == InstanceRaw:
		return []byte(name)
	}
	var b []byte
	for label := range strings.SplitSeq(name, ".") {
		b = append(b, byte(len(label)))
		b = append(b, label...)
	}
	return b
}
