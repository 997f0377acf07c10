// Renders a Helm chart as `helm template` does, with the libraries that Helm itself uses: text/template, sprig and
// sigs.k8s.io/yaml. Debian has these but not Helm. Prints a JSON array of the rendered files' documents.
//
//	render <chart> <release> <values as JSON>
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	documents, err := render(os.Args[1], os.Args[2], []byte(os.Args[3]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out, _ := json.Marshal(documents)
	fmt.Println(string(out))
}

func render(chart, release string, given []byte) ([]interface{}, error) {
	var metadata, values, own map[string]interface{}
	if err := readYaml(filepath.Join(chart, "Chart.yaml"), &metadata); err != nil {
		return nil, err
	}
	if err := readYaml(filepath.Join(chart, "values.yaml"), &values); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(given, &own); err != nil {
		return nil, err
	}
	// Helm writes the fields of Chart.yaml with a capital letter.
	named := map[string]interface{}{}
	for name, value := range metadata {
		named[strings.ToUpper(name[:1])+name[1:]] = value
	}
	context := map[string]interface{}{
		"Values":  merge(values, own),
		"Chart":   named,
		"Release": map[string]interface{}{"Name": release, "Namespace": "default", "Service": "Helm"},
	}

	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["required"] = func(warning string, value interface{}) (interface{}, error) {
		if text, isText := value.(string); value == nil || isText && text == "" {
			return value, fmt.Errorf("%s", warning)
		}
		return value, nil
	}
	all.Funcs(functions)

	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if _, err := all.New(filepath.Base(file)).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	documents := []interface{}{}
	for _, file := range files {
		if !strings.HasSuffix(file, ".yaml") {
			continue
		}
		var text strings.Builder
		if err := all.ExecuteTemplate(&text, filepath.Base(file), context); err != nil {
			return nil, err
		}
		for _, part := range strings.Split(text.String(), "\n---\n") {
			var document interface{}
			// Strict: a key that is there twice is an error.
			if err := yaml.UnmarshalStrict([]byte(part), &document); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if document != nil {
				documents = append(documents, document)
			}
		}
	}
	return documents, nil
}

func readYaml(path string, into *map[string]interface{}) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(text, into)
}

func merge(base, over map[string]interface{}) map[string]interface{} {
	for name, value := range over {
		inner, isMap := value.(map[string]interface{})
		outer, wasMap := base[name].(map[string]interface{})
		if isMap && wasMap {
			base[name] = merge(outer, inner)
		} else {
			base[name] = value
		}
	}
	return base
}
