//! `#[requires_consent]`: the attribute of `countersign-sdk`. It only writes the calls of that crate;
//! what they mean is there.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, FnArg, Ident, ItemFn, Lit, LitStr, Pat, Token, parse_macro_input};

/// Gates a function or an async function: it runs only after Countersign has allowed the call.
///
/// The first word is the action. Then, in any order: `risk`, `target` (a parameter), `reason` and
/// `name` as texts; `declares`, `categories` and `secret` (parameters) as lists; `wait` in seconds;
/// `irreversible`; `on_pending = "raise"`. Parameters are sent by name and need `Serialize`.
///
/// The gated function returns `Result<T, countersign_sdk::Error>` of what it returned before. If that
/// is a `Result` itself, its `Err` is reported as failed.
#[proc_macro_attribute]
pub fn requires_consent(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(options as Options);
    let function = parse_macro_input!(item as ItemFn);
    gate(&options, function).unwrap_or_else(|error| error.to_compile_error()).into()
}

struct Options {
    action: LitStr,
    others: Vec<(Ident, Option<Expr>)>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let action = input.parse()?;
        let mut others = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let name: Ident = input.parse()?;
            let value = match input.parse::<Option<Token![=]>>()? {
                Some(_) => Some(input.parse()?),
                None => None,
            };
            others.push((name, value));
        }
        Ok(Self { action, others })
    }
}

fn gate(options: &Options, mut function: ItemFn) -> syn::Result<Tokens> {
    let parameters = find_parameters(&function)?;
    let secret = list_secrets(options, &parameters)?;
    let settings = options.others.iter().filter(|(name, _)| name != "secret");
    let settings: Vec<Tokens> =
        settings.map(|one| set_option(one, &parameters)).collect::<syn::Result<_>>()?;
    let arguments = parameters.iter().map(|parameter| {
        let name = parameter.to_string();
        let method = format_ident!("{}", if secret.contains(&name) { "secret" } else { "arg" });
        quote!(.#method(#name, &#parameter))
    });
    let (action, name) = (&options.action, function.sig.ident.to_string());
    let output = match &function.sig.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, output) => quote!(#output),
    };
    let has_failed = match is_result(&function) {
        true => quote!(::core::result::Result::is_err),
        false => quote!(|_| false),
    };
    let body = &function.block;
    let run = match function.sig.asyncness {
        Some(_) => quote!(call.run_async(async move #body, #has_failed).await),
        None => quote!(call.run(move || #body, #has_failed)),
    };
    function.sig.output =
        syn::parse_quote!(-> ::core::result::Result<#output, ::countersign_sdk::Error>);
    function.block = syn::parse_quote!({
        let call = ::countersign_sdk::Call::new(#action)
            .tool(::core::concat!(::core::module_path!(), "::", #name))
            #(#arguments)*
            #(#settings)*;
        #run
    });
    Ok(quote!(#function))
}

fn find_parameters(function: &ItemFn) -> syn::Result<Vec<Ident>> {
    let name = |input: &FnArg| match input {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(named) => Ok(named.ident.clone()),
            other => Err(Error::new(other.span(), "give the parameter a name")),
        },
        FnArg::Receiver(own) => Err(Error::new(own.span(), "gate a function without `self`")),
    };
    function.sig.inputs.iter().map(name).collect()
}

fn list_secrets(options: &Options, parameters: &[Ident]) -> syn::Result<Vec<String>> {
    let named = options.others.iter().find(|(name, _)| name == "secret");
    let Some((_, Some(Expr::Array(list)))) = named else { return Ok(Vec::new()) };
    list.elems
        .iter()
        .map(|one| read_parameter(one, parameters).map(|one| one.to_string()))
        .collect()
}

/// The parameter that a text names.
fn read_parameter(named: &Expr, parameters: &[Ident]) -> syn::Result<Ident> {
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = named else {
        return Err(Error::new(named.span(), "write the parameter's name as a text"));
    };
    let found = parameters.iter().find(|parameter| **parameter == text.value());
    found.cloned().ok_or_else(|| Error::new(text.span(), "the function has no such parameter"))
}

fn set_option((name, value): &(Ident, Option<Expr>), parameters: &[Ident]) -> syn::Result<Tokens> {
    Ok(match (name.to_string().as_str(), value) {
        ("target", Some(value)) => {
            let parameter = read_parameter(value, parameters)?;
            quote!(.target(&#parameter))
        }
        ("risk" | "reason" | "wait", Some(value)) => quote!(.#name(#value)),
        ("name", Some(value)) => quote!(.tool(#value)),
        ("declares" | "categories", Some(Expr::Array(list))) => {
            let each: Punctuated<Expr, Token![,]> = list.elems.clone();
            quote!(.#name(&[#each]))
        }
        ("irreversible", None) => quote!(.irreversible()),
        ("on_pending", Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })))
            if matches!(text.value().as_str(), "raise" | "wait") =>
        {
            if text.value() == "raise" {
                quote!(.raise_pending())
            } else {
                quote!()
            }
        }
        _ => {
            return Err(Error::new(
                name.span(),
                "this option is unknown, or its value does not fit",
            ));
        }
    })
}

/// Whether the written return type is a `Result`.
fn is_result(function: &ItemFn) -> bool {
    let syn::ReturnType::Type(_, output) = &function.sig.output else { return false };
    let syn::Type::Path(path) = &**output else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Result")
}
