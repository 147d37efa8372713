package pfcp

import (
	"fmt"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// interfaceOf translates a Source or Destination Interface (TS 29.244 clauses
// 8.2.2 and 8.2.24), whose values are the same. SGi-LAN/N6-LAN is core here, and so is the
// CP function as a source, which sends by a tunnel as another UPF does.
func interfaceOf(octet byte) (session.Interface, error) {
	switch octet & 0x0f {
	case ie.SrcInterfaceAccess:
		return session.Access, nil
	case ie.SrcInterfaceCore, ie.SrcInterfaceSGiLANN6LAN:
		return session.Core, nil
	case interfaceCPFunction:
		return session.CPFunction, nil
	}
	return 0, fmt.Errorf("interface %d is not supported: access (0), core (1), SGi-LAN/N6-LAN (2) and CP function (3) are", octet&0x0f)
}

// interfaceCPFunction is CP-function of a Source or Destination Interface.
const interfaceCPFunction = 3
