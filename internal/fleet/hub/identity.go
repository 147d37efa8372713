package hub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

const certificateFor = 20 * 365 * 24 * time.Hour

func certificatePath(dir string) string { return filepath.Join(dir, "hub.crt") }
func keyPath(dir string) string         { return filepath.Join(dir, "hub.key") }

// certificate reads the hub's certificate, or makes it the first time. It signs
// itself: passes carry it, so that nobody else need vouch for it.
func certificate(dir string, hosts []string) (tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(certificatePath(dir), keyPath(dir))
	if os.IsNotExist(err) {
		if err = makeCertificate(dir, hosts); err == nil {
			c, err = tls.LoadX509KeyPair(certificatePath(dir), keyPath(dir))
		}
	}
	if err != nil {
		return c, fmt.Errorf("read or make the hub's certificate in %s: %w", dir, err)
	}
	return c, nil
}

func makeCertificate(dir string, hosts []string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return err
	}
	c := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: fleet.CertificateName},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(certificateFor), // clocks differ
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{fleet.CertificateName},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else {
			c.DNSNames = append(c.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(keyPath(dir), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return err
	}
	return atomicfile.Write(certificatePath(dir), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
}
