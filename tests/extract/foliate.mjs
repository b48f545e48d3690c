// Resolves EPUB CFIs with the parser of foliate-js. Arguments: the folder with node_modules, and a file with one
// JSON object per line: file, cfi. Prints for each the text that begins there, as a JSON string.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [folder, list] = process.argv.slice(2)
const { JSDOM } = createRequire(`${folder}/package.json`)('jsdom')
const { window } = new JSDOM('')
Object.assign(globalThis, { Node: window.Node, NodeFilter: window.NodeFilter, Range: window.Range })
globalThis.CSS = { escape: text => text.replace(/([^\w-])/g, '\\$1') }
const CFI = await import(pathToFileURL(`${folder}/node_modules/foliate-js/epubcfi.js`))

const parse = (text, type) => new window.DOMParser().parseFromString(text, type)
const member = (file, name) =>
    execFileSync('unzip', ['-p', file, name.replace(/([[\]*?])/g, '\\$1')], { maxBuffer: 1 << 28 }).toString('utf8')

let file, opf, base, documents
const open = name => {
    file = name
    documents = {}
    const container = parse(member(file, 'META-INF/container.xml'), 'application/xml')
    const path = container.getElementsByTagName('rootfile')[0].getAttribute('full-path')
    base = path.includes('/') ? path.replace(/\/[^/]*$/, '/') : ''
    opf = parse(member(file, path), 'application/xml')
}
const documentOf = parts => {
    const id = CFI.toElement(opf, (parts.parent ?? parts).shift()).getAttribute('idref')
    const item = [...opf.getElementsByTagNameNS('*', 'item')].find(each => each.getAttribute('id') === id)
    const name = decodeURIComponent(new URL(item.getAttribute('href'), `http://book/${base}`).pathname.slice(1))
    if (!documents[name]) {
        const text = member(file, name)
        const xhtml = parse(text, 'application/xhtml+xml')
        documents[name] = xhtml.querySelector('parsererror') ? parse(text, 'text/html') : xhtml
    }
    return documents[name]
}
for (const line of readFileSync(list, 'utf8').trim().split('\n')) {
    const each = JSON.parse(line)
    if (each.file !== file) open(each.file)
    const parts = CFI.parse(each.cfi)
    const { startContainer, startOffset } = CFI.toRange(documentOf(parts), parts)
    const text = startContainer.nodeType === 3
        ? startContainer.data.slice(startOffset)
        : (startContainer.childNodes[startOffset] ?? startContainer).textContent
    console.log(JSON.stringify(text.slice(0, 200)))
}
